(variable_declarator "=" (_) @right_side)
(assignment_expression right: (_) @right_side)
(property_declaration value: (_) @right_side)

(return_statement (_) @return_value)
(throw_statement (_) @return_value)
(yield_statement (_) @return_value)

(if_statement condition: (_) @condition)
(while_statement condition: (_) @condition)
(do_statement condition: (_) @condition)
(switch_statement value: (_) @condition)
(for_statement condition: (_) @condition)
(conditional_expression condition: (_) @condition)

(attribute_list) @decorator

(initializer_expression) @elements

(method_declaration name: (_) @name)
(class_declaration name: (_) @name)
(variable_declarator name: (_) @name)

[
  (class_declaration)
  (struct_declaration)
  (interface_declaration)
  (enum_declaration)
  (namespace_declaration)
  (method_declaration body: (block))
  (constructor_declaration)
  (for_statement)
  (foreach_statement)
  (while_statement)
] @closed

; the last branch
(if_statement alternative: (block)) @closed

; literals, as in scopes.scm
(comment) @comment

[
  (string_literal)
  (verbatim_string_literal)
  (raw_string_literal)
  (character_literal)
  (interpolated_string_expression)
] @string

(interpolation) @interpolation
