"""Typing replay: a script of keystrokes, typed into a language server as an editor would, and what a reader sees of it.

`replay.py` is the story from top to bottom. Black box: it starts the server as a process and speaks the protocol with
it; nothing here imports the server's own code, so that any other server goes through the same replay.
"""
