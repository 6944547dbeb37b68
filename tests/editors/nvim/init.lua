-- Kireji in Neovim 0.12, as the README tells users to set it up.
vim.lsp.config('kireji', {
  cmd = { 'kireji', 'serve', '--stdio' },
  root_markers = { '.git' },
})
vim.lsp.enable('kireji')
vim.lsp.inline_completion.enable()

local kireji = require('kireji')
kireji.setup()
vim.keymap.set('i', '<Tab>', function()
  if not kireji.accept() then
    return '<Tab>'
  end
end, { expr = true, desc = 'Accept the completion' })
vim.keymap.set('i', '<M-w>', kireji.accept_word, { desc = 'Accept one word of the completion' })
vim.keymap.set('i', '<M-]>', function()
  vim.lsp.inline_completion.select({ count = 1 })
end, { desc = 'Next completion' })
