"""Data that describes the language: the grammar, the words, the editor files."""
