"""The scikit-learn side: parameters, checks, fit, partial_fit, predict."""
