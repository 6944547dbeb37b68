"""What the cursor sees: text and tree in, prompt out.

Pure: it knows no protocol, opens no file but its own query files, reads no clock, runs no event loop,
and imports neither `symbol_index` nor `server`. For code that it can't read it gives None, it does not raise.
"""
