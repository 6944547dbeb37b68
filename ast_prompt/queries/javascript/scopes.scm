; inherits: ecma, jsx
[
  (field_definition)
  (using_declaration)
] @statement
