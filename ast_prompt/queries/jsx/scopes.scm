(jsx_element) @block

(jsx_expression) @interpolation
