(start_tag) @arguments
(self_closing_tag) @arguments
(start_tag (tag_name) @tag)
(end_tag (tag_name) @tag)

(text) @markup

; literals, as in scopes.scm
(comment) @comment

(quoted_attribute_value) @string
