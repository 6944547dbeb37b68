(pair) @statement

[
  (object)
  (array)
] @block

(comment) @comment

(string) @string
