"""Core points that stand for a whole training set, and descent on them."""
