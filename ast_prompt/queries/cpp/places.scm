; inherits: c
(optional_parameter_declaration default_value: (_) @right_side)
(field_declaration default_value: (_) @right_side)
(for_range_loop right: (_) @condition)

(throw_statement (_) @return_value)

(class_specifier name: (_) @name body: (_))
(namespace_definition name: (_) @name)

[
  (namespace_definition)
  (for_range_loop)
] @closed

; literals, as in scopes.scm
(raw_string_literal) @string
