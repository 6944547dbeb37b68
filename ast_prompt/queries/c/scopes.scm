[
  (declaration)
  (function_definition)
  (type_definition)
  (linkage_specification)
  (field_declaration)
  (enumerator)
  (expression_statement)
  (if_statement)
  (switch_statement)
  (case_statement)
  (while_statement)
  (do_statement)
  (for_statement)
  (return_statement)
  (break_statement)
  (continue_statement)
  (goto_statement)
  (labeled_statement)
  (attributed_statement)
  (seh_try_statement)
  (preproc_include)
  (preproc_def)
  (preproc_function_def)
  (preproc_call)
  (preproc_if)
  (preproc_ifdef)
] @statement

; struct point { … };
[
  (struct_specifier body: (_))
  (union_specifier body: (_))
  (enum_specifier body: (_))
] @statement

(preproc_include) @import

(function_definition) @function

[
  (struct_specifier body: (_))
  (union_specifier body: (_))
  (enum_specifier body: (_))
] @class

[
  (compound_statement)
  (declaration_list)
  (field_declaration_list)
  (enumerator_list)
  (case_statement)
] @block

(comment) @comment

[
  (string_literal)
  (char_literal)
  (system_lib_string)
] @string

(argument_list) @arguments

[
  (parameter_list)
  (preproc_params)
] @parameters

(declaration type: (_) @type)
(field_declaration type: (_) @type)
(parameter_declaration type: (_) @type)
(function_definition type: (_) @type)
(type_definition type: (_) @type)
(type_descriptor) @type

(field_expression) @member
