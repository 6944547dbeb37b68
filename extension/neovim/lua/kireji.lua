--- Kireji in Neovim 0.12 and later: what Neovim's own inline completion does not do yet.
---
---     vim.lsp.inline_completion.enable()
---     local kireji = require('kireji')
---     kireji.setup()
---     vim.keymap.set('i', '<Tab>', function()
---       if not kireji.accept() then return '<Tab>' end
---     end, { expr = true })
---
--- Neovim keeps an item on the screen until the next answer comes, at least 200 ms. Who types along in that time and
--- then accepts gets the typed text twice, and an item that fits no longer stays up. The functions below compare the
--- item with the text as it is at the moment.
---
--- Two things here are not public in Neovim: `completor` and what it returns. Where they are missing, the functions
--- fall back to `vim.lsp.inline_completion.get()`.

local M = {}

local method = 'textDocument/inlineCompletion'

---@class kireji.Asked The cursor's line when a request was sent; all from 0, in bytes.
---@field row integer
---@field col integer
---@field line string

---@type table<integer, table<integer, kireji.Asked>> by buffer and request
local asked = {}
---@type table<integer, kireji.Asked> by buffer: the request whose answer came last
local answered = {}

---@return integer row, integer col, string line
local function here()
  local row, col = unpack(vim.api.nvim_win_get_cursor(0))
  return row - 1, col, vim.api.nvim_get_current_line()
end

local function completor(buf)
  local ok, capability = pcall(require, 'vim.lsp._capability')
  local inline = ok and capability.all and capability.all.inline_completion
  return inline and inline.active[vim._resolve_bufnr(buf or 0)] or nil
end

--- The column behind the text that the item replaces, as the line is now, or nil where the line has changed there.
local function end_of(item, col, line)
  local range = item.range
  local at = answered[range.buf]
  if not at or at.row ~= range.start_row or at.col < range.start_col or at.col > range.end_col then
    return math.max(range.end_col, col)
  end
  local tail = at.line:sub(range.end_col + 1)
  local stop = #line - #tail
  return stop >= col and line:sub(stop + 1) == tail and stop or nil
end

--- The item for the text as it is now: it takes the place of what was typed since it was asked for. Returns nil where
--- it no longer fits, or where all of it has been typed.
function M.fit(item)
  local range = item.range
  if type(item.insert_text) ~= 'string' or not range then
    return item
  end
  local row, col, line = here()
  if row ~= range.start_row or row ~= range.end_row or col < range.start_col then
    return nil
  end
  local stop = end_of(item, col, line)
  local typed = line:sub(range.start_col + 1, col)
  if not stop or not vim.startswith(item.insert_text, typed) or typed == item.insert_text then
    return nil
  end
  item = vim.deepcopy(item)
  item.range = vim.range(range.buf, row, range.start_col, row, stop)
  return item
end

--- Accept the shown item. Returns false where none is shown or it no longer fits, so that the key can mean what it
--- always means.
---@return boolean
function M.accept()
  local shown = completor()
  if shown and shown.current and not M.fit(shown.current) then
    shown:abort()
    return false
  end
  return vim.lsp.inline_completion.get({ on_accept = M.fit })
end

--- The part of `text` up to the end of its first word, or its first sign.
local function first_word(text)
  return text:match('^%s*[%w_\128-\255]+') or text:match('^%s*%S') or text
end

--- Accept the next word of the shown item; the rest of it stays shown. Returns false as `accept` does.
---@return boolean
function M.accept_word()
  local shown = completor()
  if shown and shown.current and not M.fit(shown.current) then
    shown:abort()
    return false
  end
  return vim.lsp.inline_completion.get({
    on_accept = function(item)
      local fitting = M.fit(item)
      if not fitting or type(fitting.insert_text) ~= 'string' or not fitting.range then
        return fitting
      end
      local _, col, line = here()
      local typed = line:sub(fitting.range.start_col + 1, col)
      local word = first_word(fitting.insert_text:sub(#typed + 1))
      if typed .. word == item.insert_text then
        return fitting
      end
      if shown and not word:find('\n') then
        vim.schedule(function()
          shown.current = item
          shown:show()
        end)
      end
      -- only the word goes in, in front of what the whole item would replace
      fitting.range = vim.range(fitting.range.buf, fitting.range.start_row, col, fitting.range.start_row, col)
      fitting.insert_text = word
      fitting.command = nil
      return fitting
    end,
  })
end

--- Ask now, without waiting for a key.
function M.trigger()
  local shown = completor()
  if shown then
    shown:request(vim.lsp.protocol.InlineCompletionTriggerKind.Invoked)
  end
end

local function hide_what_no_longer_fits(buf)
  local shown = completor(buf)
  if shown and shown.current and not M.fit(shown.current) then
    shown.current = nil
    shown:hide()
  end
end

local function remember(event)
  local request, id = event.data.request, event.data.request_id
  if request.method ~= method then
    return
  end
  local buf = request.bufnr
  asked[buf] = asked[buf] or {}
  if request.type == 'pending' then
    local row, col, line = here()
    asked[buf][id] = { row = row, col = col, line = line }
  elseif request.type == 'complete' then
    answered[buf] = asked[buf][id]
    asked[buf][id] = nil
  else
    asked[buf][id] = nil
  end
end

--- Hide ghost text as soon as it no longer fits, and give it a colour that a terminal without true colours has too.
function M.setup()
  if not vim.lsp.inline_completion then
    vim.notify('Kireji shows ghost text in Neovim 0.12 and later only', vim.log.levels.WARN)
    return
  end
  local group = vim.api.nvim_create_augroup('kireji', {})
  vim.api.nvim_create_autocmd('LspRequest', { group = group, callback = remember })
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = group,
    callback = function(event)
      asked[event.buf], answered[event.buf] = nil, nil
    end,
  })
  vim.api.nvim_create_autocmd('LspAttach', {
    group = group,
    callback = function(event)
      vim.schedule(function() -- after Neovim's own, which shows the item again
        if not vim.api.nvim_buf_is_valid(event.buf) then
          return
        end
        vim.api.nvim_clear_autocmds({ group = group, event = { 'CursorMovedI', 'TextChangedP' }, buffer = event.buf })
        vim.api.nvim_create_autocmd({ 'CursorMovedI', 'TextChangedP' }, {
          group = group,
          buffer = event.buf,
          callback = function()
            hide_what_no_longer_fits(event.buf)
          end,
        })
      end)
    end,
  })
  vim.api.nvim_set_hl(0, 'ComplHint', { fg = '#808080', ctermfg = 8, italic = true })
end

return M
