[
  (rule_set)
  (declaration)
  (import_statement)
  (media_statement)
  (supports_statement)
  (scope_statement)
  (keyframes_statement)
  (keyframe_block)
  (charset_statement)
  (namespace_statement)
  (postcss_statement)
  (at_rule)
] @statement

(import_statement) @import

[
  (block)
  (keyframe_block_list)
] @block

[
  (comment)
  (js_comment)
] @comment

(string_value) @string

(call_expression (arguments) @arguments)
