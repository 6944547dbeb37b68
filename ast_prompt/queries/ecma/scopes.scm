; what JavaScript and TypeScript have in common
[
  (import_statement)
  (export_statement)
  (expression_statement)
  (variable_declaration)
  (lexical_declaration)
  (function_declaration)
  (generator_function_declaration)
  (class_declaration)
  (if_statement)
  (switch_statement)
  (for_statement)
  (for_in_statement)
  (while_statement)
  (do_statement)
  (try_statement)
  (with_statement)
  (break_statement)
  (continue_statement)
  (debugger_statement)
  (return_statement)
  (throw_statement)
  (labeled_statement)
  (class_static_block)
  (method_definition)
] @statement

(import_statement) @import

; export … from "…"
(export_statement source: (_)) @import

[
  (function_declaration)
  (generator_function_declaration)
  (function_expression)
  (generator_function)
  (arrow_function)
  (method_definition)
] @function

[
  (class_declaration)
  (class)
] @class

[
  (statement_block)
  (class_body)
  (switch_body)
  (switch_case)
  (switch_default)
] @block

[
  (comment)
  (html_comment)
] @comment

[
  (string)
  (template_string)
] @string

(template_substitution) @interpolation

(arguments) @arguments

(formal_parameters) @parameters

(member_expression) @member
