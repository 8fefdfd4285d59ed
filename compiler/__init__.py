"""Checked program to motion, and the faces a user meets."""
