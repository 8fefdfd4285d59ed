"""Bodies and joints written in the language itself."""
