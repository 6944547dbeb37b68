(variable_declarator value: (_) @right_side)
(assignment_expression right: (_) @right_side)
(element_value_pair value: (_) @right_side)

(return_statement (_) @return_value)
(throw_statement (_) @return_value)
(yield_statement (_) @return_value)

(if_statement condition: (_) @condition)
(while_statement condition: (_) @condition)
(do_statement condition: (_) @condition)
(switch_expression condition: (_) @condition)
(for_statement condition: (_) @condition)
(ternary_expression condition: (_) @condition)

[
  (annotation name: (_) @decorator)
  (marker_annotation name: (_) @decorator)
]

(array_initializer) @elements

(method_declaration name: (_) @name)
(class_declaration name: (_) @name)
(variable_declarator name: (_) @name)

[
  (class_declaration)
  (interface_declaration)
  (enum_declaration)
  (record_declaration)
  (method_declaration)
  (constructor_declaration)
  (for_statement)
  (enhanced_for_statement)
  (while_statement)
] @closed

; the last branch
(if_statement alternative: (block)) @closed

; literals, as in scopes.scm
[
  (line_comment)
  (block_comment)
] @comment

[
  (string_literal)
  (character_literal)
] @string

(string_interpolation) @interpolation
