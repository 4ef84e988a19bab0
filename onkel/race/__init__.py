"""Races: many configurations learn one stream side by side, and the best remain."""

from onkel.race.race import RaceClassifier, RaceRegressor

__all__ = ["RaceClassifier", "RaceRegressor"]
