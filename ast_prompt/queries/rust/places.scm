(let_declaration value: (_) @right_side)
(assignment_expression right: (_) @right_side)
(compound_assignment_expr right: (_) @right_side)
(const_item value: (_) @right_side)
(static_item value: (_) @right_side)
(field_initializer value: (_) @right_side)

(return_expression (_) @return_value)

(if_expression condition: (_) @condition)
(while_expression condition: (_) @condition)
(match_expression value: (_) @condition)
(for_expression value: (_) @condition)
(match_arm pattern: (match_pattern condition: (_) @condition))

[
  (attribute_item)
  (inner_attribute_item)
] @decorator

[
  (array_expression)
  (tuple_expression)
  (field_initializer_list)
] @elements

(function_item name: (_) @name)
(struct_item name: (_) @name)
(enum_item name: (_) @name)

[
  (function_item)
  (struct_item body: (field_declaration_list))
  (enum_item)
  (trait_item)
  (impl_item)
  (mod_item)
  (macro_definition)
] @closed

(expression_statement
  [
    (for_expression)
    (while_expression)
    (loop_expression)
    (if_expression alternative: (else_clause (block)))
  ]) @closed

(attribute_item) @closed

; literals, as in scopes.scm
[
  (line_comment)
  (block_comment)
] @comment

(line_comment doc: (_)) @docstring

(block_comment doc: (_)) @docstring

[
  (string_literal)
  (raw_string_literal)
  (char_literal)
] @string
