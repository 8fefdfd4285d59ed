"""The language: text in, checked program out."""
