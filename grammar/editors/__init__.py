"""Syntax files for editors; the Pygments lexer is importable."""
