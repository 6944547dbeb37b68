(jsx_text) @markup

(jsx_opening_element name: (_) @tag)
(jsx_closing_element name: (_) @tag)
(jsx_self_closing_element name: (_) @tag)

[
  (jsx_opening_element)
  (jsx_self_closing_element)
] @arguments

; literals, as in scopes.scm
(jsx_expression) @interpolation
