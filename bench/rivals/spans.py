"""Phrase precision, recall and F1, exactly as conlleval counts them.

  python3 spans.py FILE     prints conlleval's report; gold and predicted label
                            are the last two columns of each line

A phrase is right if both its ends and its type are. As in conlleval, I- without
B-, and a change of type inside a phrase, begin a new phrase.
"""

import sys
from collections import Counter

# (previous prefix, prefix) between which a phrase begins or ends, regardless of types.
BEGINS = {("B", "B"), ("I", "B"), ("O", "B"), ("O", "I"),
          ("E", "E"), ("E", "I"), ("O", "E")}
ENDS = {("B", "B"), ("B", "O"), ("I", "B"), ("I", "O"),
        ("E", "E"), ("E", "I"), ("E", "O")}
OUTSIDE = ("O", "")


def split_label(label):
    """B-NP -> (B, NP); a label without hyphen has no type."""
    prefix, hyphen, kind = label.partition("-")
    return (prefix, kind) if hyphen else (label, "")


def begins(previous, current):
    return (previous[0], current[0]) in BEGINS or (
        current[0] not in ("O", ".") and previous[1] != current[1])


def ends(previous, current):
    return (previous[0], current[0]) in ENDS or (
        previous[0] not in ("O", ".") and previous[1] != current[1])


class Counts:
    """Tokens and, per type, gold (`true`), predicted (`found`) and right phrases."""

    def __init__(self):
        self.tokens = self.right_tokens = 0
        self.true, self.found, self.right = Counter(), Counter(), Counter()

    def add_sentence(self, gold, predicted):
        last_gold = last_predicted = OUTSIDE
        inside_match = False
        labels = [*zip(map(split_label, gold), map(split_label, predicted)), (OUTSIDE, OUTSIDE)]
        for now_gold, now_predicted in labels:
            gold_ends, predicted_ends = ends(last_gold, now_gold), ends(last_predicted, now_predicted)
            if inside_match and gold_ends and predicted_ends and last_gold[1] == last_predicted[1]:
                self.right[last_gold[1]] += 1
                inside_match = False
            elif gold_ends != predicted_ends or now_gold[1] != now_predicted[1]:
                inside_match = False
            gold_begins, predicted_begins = begins(last_gold, now_gold), begins(last_predicted, now_predicted)
            if gold_begins and predicted_begins and now_gold[1] == now_predicted[1]:
                inside_match = True
            self.true[now_gold[1]] += gold_begins
            self.found[now_predicted[1]] += predicted_begins
            last_gold, last_predicted = now_gold, now_predicted
        self.tokens += len(gold)
        self.right_tokens += sum(a == b for a, b in zip(gold, predicted))

    def accuracy(self):
        return percent(self.right_tokens, self.tokens)

    def scores(self, kind=None):
        """Precision, recall and F1 in percent, of one type or of all."""
        right, found, true = (
            counter.total() if kind is None else counter[kind]
            for counter in (self.right, self.found, self.true))
        precision, recall = percent(right, found), percent(right, true)
        f1 = 2 * precision * recall / (precision + recall) if right else 0.0
        return precision, recall, f1

    def kinds(self):
        return sorted(k for k in self.true.keys() | self.found.keys() if self.true[k] or self.found[k])

    def report(self):
        """What conlleval prints."""
        lines = [f"processed {self.tokens} tokens with {self.true.total()} phrases; "
                 f"found: {self.found.total()} phrases; correct: {self.right.total()}.",
                 f"accuracy: {self.accuracy():6.2f}%; " + score_text(*self.scores())]
        for kind in self.kinds():
            lines.append(f"{kind:>17}: {score_text(*self.scores(kind))}  {self.found[kind]}")
        return "\n".join(lines)


def percent(part, whole):
    return 100.0 * part / whole if whole else 0.0


def score_text(precision, recall, f1):
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"


def count_file(path):
    """Counts over a column file whose last two columns are gold and predicted."""
    counts, gold, predicted = Counts(), [], []
    with open(path, encoding="utf-8", newline="\n") as lines:
        for line in [*lines, ""]:
            fields = line.split()
            if fields:
                gold.append(fields[-2])
                predicted.append(fields[-1])
            elif gold:
                counts.add_sentence(gold, predicted)
                gold, predicted = [], []
    return counts


if __name__ == "__main__":
    print(count_file(sys.argv[1]).report())
