[
  (doctype)
  (element)
  (script_element)
  (style_element)
] @statement

[
  (element)
  (script_element)
  (style_element)
] @block

(comment) @comment

(quoted_attribute_value) @string
