"""
Intervals on a drifting series
==============================

A series whose level goes up and down and whose noise doubles half-way. Before each row is learned the model is asked
for an interval that shall hold nine of ten targets; the widths follow the residuals that rows had before they
were learned.
"""

import numpy as np

from onkel import FourierRidgeRegressor
from onkel.plot import IntervalDisplay

random = np.random.default_rng(0)
rows = 3_000
time = np.arange(rows)
X = np.column_stack([np.sin(time / 40), np.cos(time / 40)])
level = np.sin(time / 1_000)
noise = np.where(time < rows // 2, 0.1, 0.2)
y = X[:, 0] * X[:, 1] + level + random.normal(0, 1, rows) * noise

model = FourierRidgeRegressor(gamma=1.0, n_components=20, half_life=100, random_state=0)
model.partial_fit(X[:600], y[:600])
intervals = []
for row in range(600, rows):
    intervals.append(model.predict_interval(X[row : row + 1], coverage=0.9))
    model.partial_fit(X[row : row + 1], y[row : row + 1])
intervals = np.concatenate(intervals)

shown = slice(700, 1_200)
display = IntervalDisplay.from_predictions(
    y[600:][shown], intervals[shown], x=time[600:][shown], coverage=0.9
)
display.ax_.set(xlabel="row", title="Around the row where the noise doubles")

# %%
# Over the whole series:

inside = (intervals[:, 0] <= y[600:]) & (y[600:] <= intervals[:, 1])
print(f"{inside.mean():.1%} inside; mean width {np.ptp(intervals, axis=1).mean():.3f}")
