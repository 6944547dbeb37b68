[
  (namespace_definition)
  (namespace_use_declaration)
  (const_declaration)
  (class_declaration)
  (interface_declaration)
  (trait_declaration)
  (enum_declaration)
  (enum_case)
  (property_declaration)
  (use_declaration)
  (method_declaration)
  (function_definition)
  (function_static_declaration)
  (global_declaration)
  (expression_statement)
  (echo_statement)
  (unset_statement)
  (exit_statement)
  (declare_statement)
  (if_statement)
  (switch_statement)
  (while_statement)
  (do_statement)
  (for_statement)
  (foreach_statement)
  (try_statement)
  (break_statement)
  (continue_statement)
  (goto_statement)
  (return_statement)
  (named_label_statement)
  (match_conditional_expression)
  (match_default_expression)
] @statement

[
  (namespace_use_declaration)
  (include_expression)
  (include_once_expression)
  (require_expression)
  (require_once_expression)
] @import

[
  (function_definition)
  (method_declaration)
  (anonymous_function)
  (arrow_function)
  (property_hook)
] @function

[
  (class_declaration)
  (anonymous_class)
  (interface_declaration)
  (trait_declaration)
  (enum_declaration)
] @class

[
  (compound_statement)
  (colon_block)
  (declaration_list)
  (enum_declaration_list)
  (property_hook_list)
  (switch_block)
  (case_statement)
  (default_statement)
  (match_block)
] @block

(comment) @comment

[
  (string)
  (encapsed_string)
  (heredoc)
  (nowdoc)
  (shell_command_expression)
] @string

; "$name", "$it->name", "{$it}"
(encapsed_string [(variable_name) (member_access_expression) (subscript_expression)] @interpolation)
(encapsed_string "{" @_open . (_) @interpolation . "}")
(heredoc_body [(variable_name) (member_access_expression) (subscript_expression)] @interpolation)
(heredoc_body "{" @_open . (_) @interpolation . "}")

(arguments) @arguments

(formal_parameters) @parameters

(simple_parameter type: (_) @type)
(variadic_parameter type: (_) @type)
(property_promotion_parameter type: (_) @type)
(property_declaration type: (_) @type)
(function_definition return_type: (_) @type)
(method_declaration return_type: (_) @type)
(anonymous_function return_type: (_) @type)
(arrow_function return_type: (_) @type)

[
  (member_access_expression)
  (nullsafe_member_access_expression)
  (scoped_property_access_expression)
  (class_constant_access_expression)
  (member_call_expression)
  (nullsafe_member_call_expression)
  (scoped_call_expression)
  (qualified_name)
] @member
