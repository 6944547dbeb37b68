[
  (statement)
  (class_member_declaration)
  (package_header)
  (import)
  (enum_entry)
  (when_entry)
] @statement

(import) @import

[
  (function_declaration)
  (anonymous_function)
  (lambda_literal)
  (secondary_constructor)
  (getter)
  (setter)
] @function

[
  (class_declaration)
  (object_declaration)
  (object_literal)
  (companion_object)
] @class

[
  (block)
  (class_body)
  (enum_class_body)
  (lambda_literal)
  (when_expression)
] @block

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

(value_arguments) @arguments

[
  (function_value_parameters)
  (class_parameters)
  (lambda_parameters)
] @parameters

(parameter (type) @type)
(class_parameter (type) @type)
(variable_declaration (type) @type)
(function_declaration (type) @type)
(as_expression (type) @type)
(type_arguments) @type

[
  (navigation_expression)
  (qualified_identifier)
] @member
