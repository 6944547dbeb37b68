(variable_assignment value: (_) @right_side)

(test_command) @condition

(command argument: (_) @arguments)

(array) @elements

(function_definition name: (_) @name)

; literals, as in scopes.scm
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
