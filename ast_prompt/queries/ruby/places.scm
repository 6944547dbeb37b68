(assignment right: (_) @right_side)
(operator_assignment right: (_) @right_side)
(pair value: (_) @right_side)
(optional_parameter value: (_) @right_side)
(keyword_parameter value: (_) @right_side)

(return (_) @return_value)
(yield (_) @return_value)

(if condition: (_) @condition)
(elsif condition: (_) @condition)
(unless condition: (_) @condition)
(while condition: (_) @condition)
(until condition: (_) @condition)
(if_modifier condition: (_) @condition)
(unless_modifier condition: (_) @condition)
(case value: (_) @condition)
(conditional condition: (_) @condition)

[
  (array)
  (hash)
] @elements

(method name: (_) @name)
(class name: (_) @name)
(module name: (_) @name)

(superclass) @type

; literals, as in scopes.scm
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
