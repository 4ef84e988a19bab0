"""Estimators as a user meets them: scikit-learn's rules, bad input, interrupts, memory."""
