"""Example models shipped as text."""
