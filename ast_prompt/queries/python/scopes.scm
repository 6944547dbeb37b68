[
  (import_statement)
  (import_from_statement)
  (future_import_statement)
  (expression_statement)
  (assert_statement)
  (return_statement)
  (delete_statement)
  (raise_statement)
  (pass_statement)
  (break_statement)
  (continue_statement)
  (global_statement)
  (nonlocal_statement)
  (exec_statement)
  (print_statement)
  (type_alias_statement)
  (if_statement)
  (match_statement)
  (case_clause)
  (for_statement)
  (while_statement)
  (try_statement)
  (with_statement)
  (function_definition)
  (class_definition)
  (decorated_definition)
] @statement

[
  (import_statement)
  (import_from_statement)
  (future_import_statement)
] @import

[
  (function_definition)
  (lambda)
] @function

(class_definition) @class

(block) @block

(comment) @comment

(string) @string

; a string that is a statement: of a module, a class, a function, or an attribute above it
(expression_statement . (string) @docstring .)

(interpolation) @interpolation

(call arguments: [(argument_list) (generator_expression)] @arguments)

[
  (parameters)
  (lambda_parameters)
] @parameters

(type) @type

(attribute) @member
