[
  (block_mapping_pair)
  (block_sequence_item)
  (flow_pair)
] @statement

[
  (block_mapping)
  (block_sequence)
  (flow_mapping)
  (flow_sequence)
] @block

(comment) @comment

[
  (single_quote_scalar)
  (double_quote_scalar)
  (block_scalar)
] @string
