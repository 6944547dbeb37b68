(property_declaration "=" . (_) @right_side)
(assignment "=" . (_) @right_side)
(class_parameter "=" . (_) @right_side)

(return_expression (_) @return_value)
(throw_expression (_) @return_value)

(if_expression condition: (_) @condition)
(while_statement condition: (_) @condition)
(do_while_statement condition: (_) @condition)
(when_subject) @condition

(annotation) @decorator

(collection_literal) @elements

(function_declaration name: (_) @name)
(class_declaration name: (_) @name)

(delegation_specifiers) @type

[
  (function_declaration (function_body (block)))
  (class_declaration (class_body))
  (object_declaration (class_body))
  (for_statement)
  (while_statement)
] @closed

; literals, as in scopes.scm
[
  (line_comment)
  (block_comment)
] @comment

[
  (string_literal)
  (multiline_string_literal)
  (character_literal)
] @string

(interpolation) @interpolation
