"""The benchmark room: how fast the parts and learners are, always as ratios within one run.

Run as ``python -m benchmarks`` (everything) or ``python -m benchmarks walk fogd`` (some sections).
One file a section; ``timing`` measures, ``report`` writes lines and bars, ``data`` fetches rows.
"""
