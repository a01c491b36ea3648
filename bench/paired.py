"""Whether the difference of two systems on the same texts is chance."""

import random


def share_below(ours, theirs, score, samples):
    """The percentage of bootstrap samples of the texts on which our score is not above theirs (Koehn 2004); score: rows of a sample -> number."""
    random.seed(1)
    draws = (random.choices(range(len(ours)), k=len(ours)) for _ in range(samples))
    return 100 * sum(score([ours[k] for k in draw]) <= score([theirs[k] for k in draw]) for draw in draws) / samples
