(assignment_statement (expression_list) @right_side)
(field value: (_) @right_side)

(return_statement (_) @return_value)

(if_statement condition: (_) @condition)
(elseif_statement condition: (_) @condition)
(while_statement condition: (_) @condition)
(repeat_statement condition: (_) @condition)

(table_constructor) @elements

(function_declaration name: (_) @name)

; literals, as in scopes.scm
(comment) @comment

(string) @string
