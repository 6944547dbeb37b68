(variable_declarator value: (_) @right_side)
(assignment_expression right: (_) @right_side)
(augmented_assignment_expression right: (_) @right_side)
(pair value: (_) @right_side)

(return_statement (_) @return_value)
(throw_statement (_) @return_value)
(yield_expression (_) @return_value)

(if_statement condition: (_) @condition)
(while_statement condition: (_) @condition)
(do_statement condition: (_) @condition)
(switch_statement value: (_) @condition)
(for_statement condition: (_) @condition)
(ternary_expression condition: (_) @condition)

(decorator) @decorator

[
  (array)
  (object)
] @elements

(function_declaration name: (_) @name)
(class_declaration name: (_) @name)
(variable_declarator name: (identifier) @name)

(regex) @string

[
  (function_declaration)
  (generator_function_declaration)
  (class_declaration)
  (method_definition)
  (for_statement)
  (for_in_statement)
  (while_statement)
  (switch_statement)
] @closed

; the last branch
(if_statement alternative: (else_clause (statement_block))) @closed

; literals, as in scopes.scm
[
  (comment)
  (html_comment)
] @comment

[
  (string)
  (template_string)
] @string

(template_substitution) @interpolation
