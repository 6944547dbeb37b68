(block_mapping_pair value: (flow_node) @right_side)
(flow_pair value: (_) @right_side)

[
  (flow_mapping)
  (flow_sequence)
] @elements

; literals, as in scopes.scm
(comment) @comment

[
  (single_quote_scalar)
  (double_quote_scalar)
  (block_scalar)
] @string
