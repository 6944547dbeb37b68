(assignment_expression right: (_) @right_side)
(augmented_assignment_expression right: (_) @right_side)
(property_element default_value: (_) @right_side)
(array_element_initializer (_) "=>" (_) @right_side)
(simple_parameter default_value: (_) @right_side)

(return_statement (_) @return_value)
(throw_expression (_) @return_value)

(if_statement condition: (_) @condition)
(else_if_clause condition: (_) @condition)
(while_statement condition: (_) @condition)
(do_statement condition: (_) @condition)
(switch_statement condition: (_) @condition)
(match_expression condition: (_) @condition)
(conditional_expression condition: (_) @condition)

(attribute_list) @decorator

(array_creation_expression) @elements

(function_definition name: (_) @name)
(method_declaration name: (_) @name)
(class_declaration name: (_) @name)

(base_clause) @type
(class_interface_clause) @type

; HTML around the code
(text) @markup

[
  (function_definition)
  (method_declaration body: (_))
  (class_declaration)
  (interface_declaration)
  (trait_declaration)
  (enum_declaration)
  (for_statement)
  (foreach_statement)
  (while_statement)
  (switch_statement)
] @closed

; literals, as in scopes.scm
(comment) @comment

[
  (string)
  (encapsed_string)
  (heredoc)
  (nowdoc)
  (shell_command_expression)
] @string

(encapsed_string [(variable_name) (member_access_expression) (subscript_expression)] @interpolation)

(encapsed_string "{" @_open . (_) @interpolation . "}")

(heredoc_body [(variable_name) (member_access_expression) (subscript_expression)] @interpolation)

(heredoc_body "{" @_open . (_) @interpolation . "}")
