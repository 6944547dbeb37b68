[
  (using_directive)
  (extern_alias_directive)
  (namespace_declaration)
  (file_scoped_namespace_declaration)
  (class_declaration)
  (struct_declaration)
  (record_declaration)
  (interface_declaration)
  (enum_declaration)
  (enum_member_declaration)
  (delegate_declaration)
  (field_declaration)
  (event_declaration)
  (event_field_declaration)
  (property_declaration)
  (indexer_declaration)
  (accessor_declaration)
  (method_declaration)
  (constructor_declaration)
  (destructor_declaration)
  (operator_declaration)
  (conversion_operator_declaration)
  (local_declaration_statement)
  (local_function_statement)
  (expression_statement)
  (if_statement)
  (switch_statement)
  (switch_expression_arm)
  (while_statement)
  (do_statement)
  (for_statement)
  (foreach_statement)
  (try_statement)
  (using_statement)
  (lock_statement)
  (fixed_statement)
  (checked_statement)
  (unsafe_statement)
  (labeled_statement)
  (goto_statement)
  (break_statement)
  (continue_statement)
  (return_statement)
  (throw_statement)
  (yield_statement)
] @statement

(using_directive) @import

[
  (method_declaration)
  (constructor_declaration)
  (destructor_declaration)
  (operator_declaration)
  (conversion_operator_declaration)
  (accessor_declaration)
  (local_function_statement)
  (lambda_expression)
  (anonymous_method_expression)
] @function

[
  (namespace_declaration)
  (class_declaration)
  (struct_declaration)
  (record_declaration)
  (interface_declaration)
  (enum_declaration)
] @class

[
  (block)
  (declaration_list)
  (enum_member_declaration_list)
  (accessor_list)
  (switch_body)
  (switch_section)
] @block

(switch_expression) @block

(comment) @comment

[
  (string_literal)
  (verbatim_string_literal)
  (raw_string_literal)
  (character_literal)
  (interpolated_string_expression)
] @string

(interpolation) @interpolation

[
  (argument_list)
  (attribute_argument_list)
] @arguments

[
  (parameter_list)
  (bracketed_parameter_list)
] @parameters

(variable_declaration type: (_) @type)
(parameter type: (_) @type)
(method_declaration returns: (_) @type)
(local_function_statement type: (_) @type)
(property_declaration type: (_) @type)
(indexer_declaration type: (_) @type)
(foreach_statement type: (_) @type)
(cast_expression type: (_) @type)
(object_creation_expression type: (_) @type)
(type_argument_list) @type

[
  (member_access_expression)
  (conditional_access_expression)
  (qualified_name)
] @member
