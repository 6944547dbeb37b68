; inherits: ecma, jsx
(field_definition value: (_) @right_side)
