[
  (package_declaration)
  (import_declaration)
  (module_declaration)
  (class_declaration)
  (interface_declaration)
  (enum_declaration)
  (record_declaration)
  (annotation_type_declaration)
  (annotation_type_element_declaration)
  (field_declaration)
  (constant_declaration)
  (enum_constant)
  (method_declaration)
  (constructor_declaration)
  (compact_constructor_declaration)
  (static_initializer)
  (local_variable_declaration)
  (expression_statement)
  (explicit_constructor_invocation)
  (if_statement)
  (while_statement)
  (do_statement)
  (for_statement)
  (enhanced_for_statement)
  (try_statement)
  (try_with_resources_statement)
  (synchronized_statement)
  (labeled_statement)
  (assert_statement)
  (break_statement)
  (continue_statement)
  (return_statement)
  (yield_statement)
  (throw_statement)
  (switch_rule)
] @statement

(import_declaration) @import

[
  (method_declaration)
  (constructor_declaration)
  (compact_constructor_declaration)
  (lambda_expression)
] @function

[
  (class_declaration)
  (interface_declaration)
  (enum_declaration)
  (record_declaration)
  (annotation_type_declaration)
] @class

[
  (block)
  (constructor_body)
  (class_body)
  (interface_body)
  (enum_body)
  (annotation_type_body)
  (module_body)
  (switch_block)
  (switch_block_statement_group)
] @block

[
  (line_comment)
  (block_comment)
] @comment

[
  (string_literal)
  (character_literal)
] @string

(string_interpolation) @interpolation

[
  (argument_list)
  (annotation_argument_list)
] @arguments

[
  (formal_parameters)
  (inferred_parameters)
] @parameters

(field_declaration type: (_) @type)
(constant_declaration type: (_) @type)
(local_variable_declaration type: (_) @type)
(formal_parameter type: (_) @type)
(method_declaration type: (_) @type)
(enhanced_for_statement type: (_) @type)
(cast_expression type: (_) @type)
(object_creation_expression type: (_) @type)
(type_arguments) @type

[
  (field_access)
  (method_reference)
  (scoped_identifier)
  (scoped_type_identifier)
] @member

(method_invocation object: (_)) @member
