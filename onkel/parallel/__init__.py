"""Threads: who may use how many, how they share pieces of work, and matrix products that are cut into pieces."""
