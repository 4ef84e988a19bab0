"""Named algorithms: one file a family, each a docstring, flat parameters and a composition of parts.

All of them are `onkel`'s: ``from onkel import AVMClassifier``. What is public is listed there, once.
"""
