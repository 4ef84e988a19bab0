"""
A raw table, from file to model
===============================

A file with words, dates, gaps and numbers of very different scales: it is read in chunks as it is, encoded on the
way, learned in one pass, and kept as one file with encoder and learner.
"""

import csv
import tempfile
from pathlib import Path

import numpy as np

import onkel
from onkel import FOGDClassifier, TableEncoder, make_stream_pipeline
from onkel.plot import ReliabilityDisplay
from onkel.stream import open_stream

random = np.random.default_rng(0)
folder = Path(tempfile.mkdtemp())


def person() -> list[str]:
    """A row of the table: the answer is in the wage, but depends on the job."""
    job = random.choice(["clerk", "manager", "cleaner", "professor"])
    wage = random.lognormal(10, 0.5)
    since = f"{random.integers(1990, 2024)}-{random.integers(1, 13):02d}-01"
    happy = wage > (30_000 if job in ("manager", "clerk") else 15_000)
    happy ^= random.random() < 0.05
    gap = random.random() < 0.1
    return [job, "" if gap else f"{wage:.2f}", since, "yes" if happy else "no"]


with open(folder / "people.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["job", "wage", "since", "happy"])
    writer.writerows(person() for _ in range(6_000))

# %%
# In a shell this would be ``onkel train people.csv --target happy -o people.onkel``. In Python:

model = make_stream_pipeline(TableEncoder(), FOGDClassifier(n_components=200, random_state=0))
for table, answers in open_stream(folder / "people.csv", target="happy", raw=True):
    model.partial_fit(table, answers, classes=["no", "yes"])
print(model[0].describe())
print(model[-1].progress_)

# %%
# The file holds all of it, and takes raw rows:

onkel.io.save(model, folder / "people.onkel")
again = onkel.io.load(folder / "people.onkel")
rows = {"job": ["clerk", "cleaner"], "wage": [20_000.0, 20_000.0], "since": ["2020-01-01", None]}
print(again.predict(rows), again.predict_proba(rows).round(2))

# %%
# Are the probabilities right? The rows once more, this time only asked about:

said = [
    (answers, again.predict_proba(table)[:, 1])
    for table, answers in open_stream(folder / "people.csv", target="happy", raw=True)
]
ReliabilityDisplay.from_predictions(*(np.concatenate(parts) for parts in zip(*said)))
