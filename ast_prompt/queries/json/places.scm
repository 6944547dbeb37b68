(pair value: (_) @right_side)

(array) @elements
(object) @elements

; literals, as in scopes.scm
(comment) @comment

(string) @string
