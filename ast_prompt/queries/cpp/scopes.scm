; inherits: c
[
  (namespace_definition)
  (namespace_alias_definition)
  (template_declaration)
  (template_instantiation)
  (concept_definition)
  (alias_declaration)
  (using_declaration)
  (friend_declaration)
  (static_assert_declaration)
  (for_range_loop)
  (try_statement)
  (throw_statement)
  (co_return_statement)
  (co_yield_statement)
] @statement

(class_specifier body: (_)) @statement

(using_declaration) @import

(lambda_expression) @function

[
  (namespace_definition)
  (concept_definition)
  (class_specifier body: (_))
] @class

(requirement_seq) @block

(raw_string_literal) @string

; Thing thing{…}; class Thing : base(…)
(init_declarator value: (initializer_list) @arguments)
(compound_literal_expression value: (initializer_list) @arguments)

(template_parameter_list) @parameters

(for_range_loop type: (_) @type)
(optional_parameter_declaration type: (_) @type)
(alias_declaration type: (_) @type)
(template_argument_list) @type
(trailing_return_type) @type

(qualified_identifier) @member
