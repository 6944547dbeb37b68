; inherits: ecma
[
  (abstract_class_declaration)
  (interface_declaration)
  (enum_declaration)
  (type_alias_declaration)
  (module)
  (internal_module)
  (ambient_declaration)
  (import_alias)
  (function_signature)
  (method_signature)
  (abstract_method_signature)
  (property_signature)
  (call_signature)
  (construct_signature)
  (index_signature)
  (public_field_definition)
  (enum_assignment)
] @statement

(import_alias) @import

[
  (abstract_class_declaration)
  (interface_declaration)
  (enum_declaration)
  (module)
  (internal_module)
] @class

[
  (interface_body)
  (enum_body)
  (object_type)
] @block

(template_literal_type) @string

(template_type) @interpolation

[
  (type_annotation)
  (type_arguments)
  (asserts_annotation)
  (type_predicate_annotation)
] @type

(type_alias_declaration value: (_) @type)

(as_expression "as" (_) @type)

(satisfies_expression "satisfies" (_) @type)

(nested_identifier) @member
