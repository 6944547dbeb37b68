[
  (package_clause)
  (import_declaration)
  (import_spec)
  (const_declaration)
  (const_spec)
  (var_declaration)
  (var_spec)
  (type_declaration)
  (type_spec)
  (type_alias)
  (function_declaration)
  (method_declaration)
  (field_declaration)
  (method_elem)
  (expression_statement)
  (send_statement)
  (inc_statement)
  (dec_statement)
  (assignment_statement)
  (short_var_declaration)
  (go_statement)
  (defer_statement)
  (return_statement)
  (break_statement)
  (continue_statement)
  (goto_statement)
  (fallthrough_statement)
  (labeled_statement)
  (if_statement)
  (for_statement)
  (expression_switch_statement)
  (type_switch_statement)
  (select_statement)
] @statement

(import_declaration) @import

[
  (function_declaration)
  (method_declaration)
  (func_literal)
] @function

(type_spec type: [(struct_type) (interface_type)]) @class

[
  (block)
  (field_declaration_list)
  (interface_type)
  (expression_switch_statement)
  (type_switch_statement)
  (select_statement)
  (expression_case)
  (type_case)
  (communication_case)
  (default_case)
] @block

(comment) @comment

[
  (interpreted_string_literal)
  (raw_string_literal)
  (rune_literal)
] @string

(argument_list) @arguments

[
  (parameter_list)
  (type_parameter_list)
] @parameters

(parameter_declaration type: (_) @type)
(variadic_parameter_declaration type: (_) @type)
(type_parameter_declaration type: (_) @type)
(field_declaration type: (_) @type)
(var_spec type: (_) @type)
(const_spec type: (_) @type)
(type_spec type: (_) @type)
(type_alias type: (_) @type)
(composite_literal type: (_) @type)
(function_declaration result: (_) @type)
(method_declaration result: (_) @type)
(func_literal result: (_) @type)
(method_elem result: (_) @type)
(type_arguments) @type

[
  (selector_expression)
  (qualified_type)
] @member
