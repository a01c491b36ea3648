"""A task of your own in one screenful: segment a string of letters into words.

An output is a list of words; a decoder finds the best one by dynamic
programming over word ends. Any learner that needs only features, loss and
decode can train it. Run: python examples/custom_task.py
"""

import hinge

LONGEST = 8  # letters in a word


class Segmentation:
    def features(self, x, y):
        counts = {}
        for word in y:
            counts[word] = counts.get(word, 0) + 1
        return counts

    def loss(self, gold, y):
        """How many words gold does not have at the same place."""
        return len(self.spans(y) - self.spans(gold))

    def decode(self, x, score, augment):
        """Finds the best split of x[:end] for every end; the loss is added word by word."""
        best = [(0.0, [])]
        for end in range(1, len(x) + 1):
            splits = []
            for begin in range(max(0, end - LONGEST), end):
                words = best[begin][1] + [x[begin:end]]
                loss = augment(words) - augment(best[begin][1]) if augment else 0.0
                splits.append((best[begin][0] + score({x[begin:end]: 1}) + loss, words))
            best.append(max(splits))
        return best[-1][1]

    @staticmethod
    def spans(words):
        ends = [sum(map(len, words[: k + 1])) for k in range(len(words))]
        return {(end - len(word), end) for word, end in zip(words, ends)}


def main():
    golds = ["the cat sat", "a cat ran", "the dog sat", "a dog ate the ham", "he ate a ham"]
    X, y = ["".join(gold.split()) for gold in golds], [gold.split() for gold in golds]
    for mistake in hinge.check_task(Segmentation(), X, y):
        raise SystemExit(mistake)
    for name, learner in hinge.learners().items():
        if learner["needs"] != "nothing":
            continue
        model = hinge.StructuredPredictor(Segmentation(), learner=name, epochs=20).fit(X, y)
        print(f"{name:<14}", *model.predict(["thecatatethedog"])[0])


if __name__ == "__main__":
    main()
