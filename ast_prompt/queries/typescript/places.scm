; inherits: ecma
(public_field_definition value: (_) @right_side)

(interface_declaration name: (_) @name)
(type_alias_declaration name: (_) @name)

[
  (interface_declaration)
  (enum_declaration)
  (abstract_class_declaration)
] @closed

; literals, as in scopes.scm
(template_literal_type) @string

(template_type) @interpolation
