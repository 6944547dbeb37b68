(declaration ":" . (_) @right_side)

(media_statement [(feature_query) (parenthesized_query) (binary_query)] @condition)
(supports_statement (parenthesized_query) @condition)

; literals, as in scopes.scm
[
  (comment)
  (js_comment)
] @comment

(string_value) @string
