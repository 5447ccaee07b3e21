#!/usr/bin/env python3
"""Perplexity of interpolated bigrams on a text, for docs/learning.md: the baseline for word models.

    bench/bigram.py TRAIN VALID VOCABULARY_SIZE        (texts, plain or .zst)

Words, line ends and the vocabulary are those of a text source with "unit": "word" (docs/formats.md). There are two estimates. The
parameter of each is chosen to fit the validation text best, an advantage that no compared model gets:
- Jelinek and Mercer: share * c(v w) / c(v) + (1 - share) * c(w) / n. F. Jelinek, R. Mercer, "Interpolated estimation of Markov
  source parameters from sparse data", 1980.
- Kneser and Ney, interpolated: (c(v w) - d) / c(v), and the remaining probability in proportion to the number of distinct bigrams
  that end with w. R. Kneser, H. Ney, "Improved backing-off for m-gram language modeling", 1995.
"""
import math
import subprocess
import sys
from collections import Counter

UNKNOWN, END = "<unk>", "<eos>"


def words_of(path):
    if path.endswith(".zst"):
        text = subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True).stdout.decode()
    else:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    return [word for line in text.removesuffix("\n").split("\n") for word in line.split() + [END]]


def perplexity(pairs, probability):
    return math.exp(-sum(n * math.log(probability(v, w)) for (v, w), n in pairs.items()) / sum(pairs.values()))


def main(train, valid, size):
    words = words_of(train)
    by_count = sorted(Counter(w for w in words if w != UNKNOWN).items(), key=lambda entry: (-entry[1], entry[0].encode()))
    known = {UNKNOWN} | {word for word, _ in by_count[: size - 1]}
    words = [w if w in known else UNKNOWN for w in words]
    asked = [w if w in known else UNKNOWN for w in words_of(valid)]
    pairs = Counter(zip(asked, asked[1:]))

    single, before, both = Counter(words), Counter(words[:-1]), Counter(zip(words, words[1:]))
    followers, ends = Counter(v for v, _ in both), Counter(w for _, w in both)

    def jelinek_mercer(share):
        def of(v, w):
            if v not in before:
                return single[w] / len(words)
            return share * both[v, w] / before[v] + (1 - share) * single[w] / len(words)
        return of

    def kneser_ney(discount):
        def of(v, w):
            shorter = max(ends[w], 1) / len(both)
            if v not in before:
                return shorter
            return (max(both[v, w] - discount, 0) + discount * followers[v] * shorter) / before[v]
        return of

    print(f"{len(words)} words of {len(known)} kinds, {len(asked)} to predict")
    for name, estimate in (("Jelinek and Mercer", jelinek_mercer), ("Kneser and Ney", kneser_ney)):
        best = min((perplexity(pairs, estimate(step / 20)), step / 20) for step in range(1, 20))
        print(f"{name}: {best[0]:.1f} (parameter {best[1]})")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
