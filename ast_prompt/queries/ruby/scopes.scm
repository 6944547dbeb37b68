(_statement) @statement

((call
   method: (identifier) @_method) @import
  (#any-of? @_method "require" "require_relative" "load" "autoload"))

[
  (method)
  (singleton_method)
  (lambda)
] @function

[
  (class)
  (singleton_class)
  (module)
] @class

; from the opening word to `end`; a branch to where the next begins
[
  (method)
  (singleton_method)
  (class)
  (singleton_class)
  (module)
  (block)
  (do_block)
  (do)
  (begin)
  (begin_block)
  (end_block)
  (if)
  (unless)
  (case)
  (case_match)
  (elsif)
  (else)
  (when)
  (in_clause)
  (rescue)
  (ensure)
] @block

(comment) @comment

[
  (string)
  (chained_string)
  (character)
  (string_array)
  (symbol_array)
  (delimited_symbol)
  (subshell)
  (regex)
  (heredoc_body)
] @string

(interpolation) @interpolation

(argument_list) @arguments

[
  (method_parameters)
  (block_parameters)
  (lambda_parameters)
] @parameters

(call receiver: (_)) @member

(scope_resolution) @member
