(assignment right: (_) @right_side)
(augmented_assignment right: (_) @right_side)
(named_expression value: (_) @right_side)
(pair value: (_) @right_side)

(return_statement (_) @return_value)
(yield (_) @return_value)
(raise_statement (_) @return_value)

(if_statement condition: (_) @condition)
(elif_clause condition: (_) @condition)
(while_statement condition: (_) @condition)
(assert_statement . (_) @condition)
(if_clause (_) @condition)
(conditional_expression "if" . (_) @condition)
(match_statement subject: (_) @condition)

(decorator) @decorator

[
  (list)
  (tuple)
  (set)
  (dictionary)
  (list_comprehension)
  (set_comprehension)
  (dictionary_comprehension)
] @elements

(function_definition name: (_) @name)
(class_definition name: (_) @name)

; base classes
(class_definition superclasses: (_) @type)

; literals, as in scopes.scm
(comment) @comment

(string) @string

(expression_statement . (string) @docstring .)

(interpolation) @interpolation
