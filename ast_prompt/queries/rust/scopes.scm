[
  (expression_statement)
  (let_declaration)
  (use_declaration)
  (extern_crate_declaration)
  (const_item)
  (static_item)
  (type_item)
  (associated_type)
  (function_item)
  (function_signature_item)
  (struct_item)
  (enum_item)
  (union_item)
  (trait_item)
  (impl_item)
  (mod_item)
  (foreign_mod_item)
  (macro_definition)
  (attribute_item)
  (inner_attribute_item)
  (field_declaration)
  (enum_variant)
  (match_arm)
] @statement

; a block's value; not rooted at the block, whose every child would be walked then (12 ms at 20,000 of them)
((_expression) @statement . "}")

[
  (use_declaration)
  (extern_crate_declaration)
] @import

[
  (function_item)
  (function_signature_item)
  (closure_expression)
] @function

[
  (struct_item)
  (enum_item)
  (union_item)
  (trait_item)
  (impl_item)
  (mod_item)
  (foreign_mod_item)
] @class

[
  (block)
  (declaration_list)
  (field_declaration_list)
  (enum_variant_list)
  (match_block)
] @block

[
  (line_comment)
  (block_comment)
] @comment

(line_comment doc: (_)) @docstring

(block_comment doc: (_)) @docstring

[
  (string_literal)
  (raw_string_literal)
  (char_literal)
] @string

(arguments) @arguments

; what stands in a macro's brackets is not parsed: println!(…)
(macro_invocation (token_tree) @arguments)

[
  (parameters)
  (closure_parameters)
] @parameters

(parameter type: (_) @type)
(let_declaration type: (_) @type)
(field_declaration type: (_) @type)
(const_item type: (_) @type)
(static_item type: (_) @type)
(type_item type: (_) @type)
(function_item return_type: (_) @type)
(function_signature_item return_type: (_) @type)
(closure_expression return_type: (_) @type)
(impl_item type: (_) @type)
(type_cast_expression type: (_) @type)
(type_arguments) @type

[
  (field_expression)
  (scoped_identifier)
  (scoped_type_identifier)
] @member
