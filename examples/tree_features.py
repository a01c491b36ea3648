#!/usr/bin/env python3
"""Features of whole trees, to rerank the n best parses of `hinge predict MODEL --nbest N` (docs/const.md).

  examples/tree_features.py NBEST --gold TREES [--clusters PATHS] -o LISTS      for `hinge train rerank LISTS -p cost=cost`
  examples/tree_features.py NBEST [--clusters PATHS] -o LISTS                   for `hinge predict RERANKER LISTS`

A parser looks at one rule and one span at a time; these features see more of a tree: a rule and what is above it, words and the
heads they depend on, siblings in a row, coordinated phrases (after Collins, ICML 2000, and Charniak and Johnson, ACL 2005). Give the
same clusters both times. With --gold, features in fewer than --min-count sentences are left out.
"""

import argparse
import collections
import gzip
import json
import sys

PUNCTUATION = {".", ",", ":", "``", "''", "-LRB-", "-RRB-"}
NOT_SCORED = {".", ",", ":", "``", "''"}  # by EVALB
# Where the head of a phrase is: from the left or the right, the first child of the first of these labels (after Collins 1999).
HEADS = {"VP": (1, "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"), "S": (1, "VP S SBAR ADJP UCP NP"), "SINV": (1, "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
         "SBAR": (1, "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"), "PP": (1, "IN TO VBG VBN RP FW"), "WHNP": (1, "WDT WP WP$ WHADJP WHPP WHNP"),
         "NP": (-1, "NN|NNP|NNPS|NNS|NX|POS|JJR NP $ ADJP PRN CD JJ JJS RB QP"), "ADJP": (1, "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT"),
         "ADVP": (-1, "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"), "QP": (1, "$ IN NNS NN JJ RB DT CD QP JJR JJS")}


class Node:
    """A phrase, or a tag over its word: words [begin, end), of which one is the head."""

    def __init__(self, label):
        self.label, self.children, self.begin, self.end, self.head = label, [], 0, 0, 0


def read_tree(line):
    """The tree without a wrapper such as ROOT, and its words."""
    words, open_nodes, done = [], [Node("")], line.replace("(", " ( ").replace(")", " ) ").split()
    for before, token in zip([""] + done, done):
        if token == "(":
            continue
        if token == ")":
            node = open_nodes.pop()
            node.end = len(words)
            node.head = head_of(node)
            open_nodes[-1].children.append(node)
        elif before == "(":
            open_nodes.append(Node(token))
            open_nodes[-1].begin = len(words)
        else:
            words.append(token)
    tree = open_nodes[0].children[0]
    while tree.label in ("ROOT", "TOP") and len(tree.children) == 1:
        tree = tree.children[0]
    return tree, words


def head_of(node):
    if not node.children:
        return node.begin
    step, names = HEADS.get(node.label, (1, ""))
    children = node.children[::step]
    for name in names.split():
        for child in children:
            if child.label in name.split("|"):
                return child.head
    return next((child for child in children if child.label not in PUNCTUATION), children[0]).head


def nodes_of(tree, above=()):
    """All nodes, each with the labels above it."""
    yield tree, above
    for child in tree.children:
        yield from nodes_of(child, (*above, tree.label))


def size(n):
    """Lengths, coarsely."""
    return n if n <= 4 else next((most for most in (6, 9, 15) if n <= most), 16)


class Sentence:
    """Words, tags and clusters by position; marks beyond the ends."""

    def __init__(self, tree, words, clusters):
        self.n = len(words)
        self.words = [word.lower() for word in words]
        self.tags = [node.label for node, _ in nodes_of(tree) if not node.children]
        self.clusters = [clusters.get(word) or clusters.get(word.lower()) or tag for word, tag in zip(words, self.tags)]

    def word(self, i):
        return self.words[i] if 0 <= i < self.n else "#"

    def tag(self, i):
        return self.tags[i] if 0 <= i < self.n else "#"

    def cluster(self, i, bits=20):
        return self.clusters[i][:bits] if 0 <= i < self.n else "#"

    def mark(self, i):
        return self.tag(i) if self.tag(i) in PUNCTUATION or not 0 <= i < self.n else "x"


def word_features(s, node, above):
    i, parent = node.begin, above[-1] if above else ""
    yield "word", s.word(i), node.label
    yield "word in", s.word(i), parent
    yield "word below", s.word(i), *above[-2:]
    yield "tag below", node.label, *above[-3:]


def rule_features(s, node, above):
    labels, parent = [child.label for child in node.children], above[-1] if above else ""
    rule = " ".join([node.label, *labels])
    yield "rule", rule
    yield "rule below", parent, rule
    yield "rule and tag", rule, s.tag(node.head)
    yield "rule and cluster", rule, s.cluster(node.head, 8)
    if len(labels) > 2:
        yield "rule and head", rule, s.word(node.head)
    row = ["<", *labels, ">"]
    for k in range(len(row) - 1):
        yield "two", node.label, *row[k:k + 2]
        if k + 3 <= len(row):
            yield "three", node.label, *row[k:k + 3]
            yield "three below", parent, node.label, *row[k:k + 3]


def phrase_features(s, node, above):
    label, b, e, parent = node.label, node.begin, node.end, above[-1] if above else ""
    yield "head", label, parent, s.word(node.head)
    yield "head cluster", label, parent, s.cluster(node.head)
    yield "head cluster and size", label, parent, s.cluster(node.head, 8), size(e - b)
    yield "head tag", label, s.tag(node.head), *above[-2:]
    yield "size", label, size(e - b), size(s.n - e)
    yield "size and marks", label, size(e - b), s.mark(e), s.mark(e - 1)
    yield "ends", label, s.tag(b - 1), s.tag(b), s.tag(e - 1), s.tag(e)
    yield "first and next", label, s.word(b), s.word(e)
    yield "before and last", label, s.word(b - 1), s.word(e - 1)
    yield "first tag and next", label, s.tag(b), s.word(e)
    yield "before and first tag", label, s.word(b - 1), s.tag(b)
    yield "size and tags before", label, size(e - b), s.tag(b - 1), s.tag(b - 2)
    yield "clusters around", label, s.cluster(b - 1, 8), s.cluster(e, 8)
    yield "clusters at ends", label, s.cluster(b, 8), s.cluster(e - 1, 8)


def dependency_features(s, node):
    """Every child but that with the head depends on it."""
    at = next(k for k, child in enumerate(node.children) if child.begin <= node.head < child.end)
    head, main = node.head, node.children[at].label
    for k, child in enumerate(node.children):
        if k == at:
            continue
        label, side, m = (node.label, child.label), "left" if k < at else "right", child.head
        yield "tags", *label, main, side, s.tag(head), s.tag(m)
        yield "word of", *label, side, s.word(head), s.tag(m)
        yield "word at", *label, side, s.tag(head), s.word(m)
        yield "words", side, s.word(head), s.word(m)
        yield "words in", *label, s.word(head), s.word(m)
        yield "distance", *label, main, size(abs(k - at)), size(child.end - child.begin)
        yield "clusters", *label, side, s.cluster(head), s.cluster(m)
        yield "coarse clusters", *label, side, s.cluster(head, 8), s.cluster(m, 8)
        yield "cluster at", *label, side, s.tag(head), s.cluster(m)
        yield "cluster of", *label, side, s.cluster(head), s.tag(m)
        yield "coarsest clusters", main, side, s.cluster(head, 6), s.cluster(m, 6)
        if child.label in ("PP", "SBAR"):
            yield from attachment_features(s, node, main, child)


def attachment_features(s, node, main, child):
    """A preposition, what it depends on, and its last word."""
    first, last, head = s.word(child.begin), child.end - 1, node.head
    yield "attached to tag", node.label, child.label, first, s.tag(head)
    yield "attached to", node.label, first, s.word(head)
    yield "attached to, last", node.label, first, s.word(head), s.word(last)
    yield "attached to cluster", node.label, first, s.cluster(head)
    yield "attached clusters", node.label, first, s.cluster(head, 8), s.cluster(last, 8)
    yield "attached coarse clusters", first, s.cluster(head, 6), s.cluster(last, 6)
    yield "attached last", node.label, first, s.tag(head), s.cluster(last)
    yield "attached far", node.label, main, first, size(abs(child.begin - head))


def coordination_features(s, node):
    for k in range(1, len(node.children) - 1):
        if node.children[k].label != "CC":
            continue
        left, right = node.children[k - 1], node.children[k + 1]
        longer = max(-5, min(5, right.end - right.begin - left.end + left.begin))
        yield "same label", left.label == right.label
        yield "joined", node.label, left.label, right.label
        yield "longer", longer, k + 2 == len(node.children)
        yield "same rule", node.label, [child.label for child in left.children] == [child.label for child in right.children]
        yield "joined tags", node.label, s.tag(left.head), s.tag(right.head)
        yield "joined words", s.word(left.head), s.word(right.head)
        yield "joined clusters", node.label, s.cluster(left.head, 8), s.cluster(right.head, 8)
        yield "same cluster", s.cluster(left.head) == s.cluster(right.head)


def right_branches(tree):
    depth = 0
    while tree.children:
        tree = [child for child in tree.children if child.label not in PUNCTUATION or child is tree.children[0]][-1]
        depth += 1
    return depth


def features(tree, words, clusters):
    """How often the tree has each feature."""
    s, counts = Sentence(tree, words, clusters), collections.Counter()
    for node, above in nodes_of(tree):
        if not node.children:
            counts.update(word_features(s, node, above))
            continue
        for some in (rule_features(s, node, above), phrase_features(s, node, above), dependency_features(s, node), coordination_features(s, node)):
            counts.update(some)
    counts[("right branches",)] = right_branches(tree)
    return counts


def brackets(tree, counted):
    """Labelled phrases as EVALB counts them: counted[i] of the first i words are no punctuation."""
    found = collections.Counter()
    for node, _ in nodes_of(tree):
        if node.children and counted[node.begin] < counted[node.end]:
            found["ADVP" if node.label == "PRT" else node.label, counted[node.begin], counted[node.end]] += 1
    return found


def cost_of(tree, gold):
    """What wrong and missing brackets cost, on the scale of scores. F1 = 2 right / (found + true) falls by about F1 / (found + true) for a wrong
    one and by (2 - F1) / (found + true) for a missing one; F1 is about 0.9."""
    counted = [0]
    for node, _ in nodes_of(gold):
        if not node.children:
            counted.append(counted[-1] + (node.label not in NOT_SCORED))
    ours, right = brackets(tree, counted), brackets(gold, counted)
    return (0.9 * sum((ours - right).values()) + 1.1 * sum((right - ours).values())) / 4


def read_lists(path):
    """Lists of (score, tree as text), as `hinge predict --nbest` writes them."""
    best, score = [], 0.0
    for line in open(path, encoding="utf-8"):
        if line.startswith("# "):
            score = float(line.split()[2])
        elif line.strip():
            best.append((score, line.strip()))
        elif best:
            yield best
            best = []
    if best:
        yield best


def hypotheses(best, gold, clusters):
    """A record per tree, with only the features in which the trees of a list differ."""
    read = [read_tree(line) for _, line in best]
    found = [features(tree, words, clusters) for tree, words in read]
    shared = set.intersection(*(set(counts.items()) for counts in found))
    for (score, line), (tree, _), counts in zip(best, read, found):
        record = {"score": score - best[0][0]}
        if gold is not None:
            record["cost"] = cost_of(tree, gold)
        yield line, record, {":".join(map(str, name)).replace(" ", "_"): count for name, count in counts.items() if (name, count) not in shared}


def read_clusters(path):
    if path is None:
        return {}
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
        return {word: bits for bits, word, *_ in (line.split() for line in lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nbest", nargs="+", help="of `hinge predict --nbest`; several are read one after another")
    parser.add_argument("--gold", action="append", help="the right trees of each")
    parser.add_argument("--clusters", help="a Brown `paths` file")
    parser.add_argument("--min-count", type=int, default=4, help="with --gold: sentences that a feature must be in (4)")
    parser.add_argument("-o", "--output", required=True)
    given = parser.parse_args()
    if given.gold and len(given.gold) != len(given.nbest):
        sys.exit(f"tree_features.py: {len(given.nbest)} lists of trees but {len(given.gold)} files of right ones; give --gold once for each")
    clusters, in_sentences, lists = read_clusters(given.clusters), collections.Counter(), []
    for k, path in enumerate(given.nbest):
        golds = [line for line in open(given.gold[k], encoding="utf-8") if line.strip()] if given.gold else None
        for n, best in enumerate(read_lists(path)):
            if golds is not None and n >= len(golds):
                sys.exit(f"{path}: has more lists than {given.gold[k]} has trees; give the trees that were parsed")
            lists.append(list(hypotheses(best, read_tree(golds[n])[0] if golds else None, clusters)))
            in_sentences.update(set().union(*(names for _, _, names in lists[-1])))
    with open(given.output, "w", encoding="utf-8") as out:
        for n, best in enumerate(lists):
            for line, record, names in best:
                kept = {name: count for name, count in names.items() if not given.gold or in_sentences[name] >= given.min_count}
                out.write(json.dumps({"id": n, "text": line, "features": record | kept}) + "\n")


if __name__ == "__main__":
    main()
