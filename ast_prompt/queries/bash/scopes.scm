[
  (command)
  (declaration_command)
  (unset_command)
  (test_command)
  (negated_command)
  (variable_assignment)
  (pipeline)
  (list)
  (redirected_statement)
  (subshell)
  (compound_statement)
  (if_statement)
  (case_statement)
  (for_statement)
  (c_style_for_statement)
  (while_statement)
  (function_definition)
] @statement

((command
   name: (command_name) @_name) @import
  (#any-of? @_name "source" "."))

(function_definition) @function

; an `if` holds its commands itself, up to `fi`
[
  (compound_statement)
  (subshell)
  (do_group)
  (if_statement)
  (elif_clause)
  (else_clause)
  (case_statement)
  (case_item)
] @block

(comment) @comment

[
  (string)
  (raw_string)
  (ansi_c_string)
  (translated_string)
  (heredoc_body)
] @string

[
  (command_substitution)
  (process_substitution)
] @interpolation

(string [(simple_expansion) (expansion) (arithmetic_expansion)] @interpolation)
(heredoc_body [(simple_expansion) (expansion) (arithmetic_expansion)] @interpolation)
