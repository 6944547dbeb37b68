(statement) @statement

(return_statement) @statement

((function_call
   name: (identifier) @_name) @import
  (#any-of? @_name "require" "dofile" "loadfile"))

[
  (function_declaration)
  (function_definition)
] @function

; from the opening word to `end`; a branch to where the next begins
[
  (function_declaration)
  (function_definition)
  (do_statement)
  (while_statement)
  (repeat_statement)
  (for_statement)
  (if_statement)
  (elseif_statement)
  (else_statement)
] @block

(comment) @comment

(string) @string

(arguments) @arguments

(parameters) @parameters

[
  (dot_index_expression)
  (method_index_expression)
] @member
