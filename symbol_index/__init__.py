"""What the rest of the workspace offers.

It knows files and trees; it builds no prompt, speaks no protocol, runs no event loop, and never imports `server`.
"""
