(init_declarator value: (_) @right_side)
(assignment_expression right: (_) @right_side)
(initializer_pair value: (_) @right_side)
(enumerator value: (_) @right_side)

(return_statement (_) @return_value)

(if_statement condition: (_) @condition)
(while_statement condition: (_) @condition)
(do_statement condition: (_) @condition)
(switch_statement condition: (_) @condition)
(for_statement condition: (_) @condition)
(conditional_expression condition: (_) @condition)
(preproc_if condition: (_) @condition)

(attribute_declaration) @decorator
(attribute_specifier) @decorator

(initializer_list) @elements

(struct_specifier name: (_) @name body: (_))
(enum_specifier name: (_) @name body: (_))

[
  (function_definition)
  (for_statement)
  (while_statement)
  (switch_statement)
] @closed

; the last branch
(if_statement alternative: (else_clause (compound_statement))) @closed

; literals, as in scopes.scm
(comment) @comment

[
  (string_literal)
  (char_literal)
  (system_lib_string)
] @string
