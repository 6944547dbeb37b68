(short_var_declaration right: (_) @right_side)
(assignment_statement right: (_) @right_side)
(var_spec value: (_) @right_side)
(const_spec value: (_) @right_side)
(send_statement value: (_) @right_side)
(keyed_element value: (_) @right_side)

(return_statement (_) @return_value)

(if_statement condition: (_) @condition)
(for_statement [(for_clause) (range_clause) (binary_expression) (call_expression)] @condition)
(expression_switch_statement value: (_) @condition)

(literal_value) @elements

(function_declaration name: (_) @name)
(method_declaration name: (_) @name)
(type_spec name: (_) @name)

[
  (function_declaration)
  (method_declaration)
  (type_declaration)
  (for_statement)
  (expression_switch_statement)
  (type_switch_statement)
  (select_statement)
] @closed

; the last branch
(if_statement alternative: (block)) @closed

(import_spec) @closed

; literals, as in scopes.scm
(comment) @comment

[
  (interpreted_string_literal)
  (raw_string_literal)
  (rune_literal)
] @string
