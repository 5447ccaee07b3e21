#!/usr/bin/python3
"""Writes figures.json: what scikit-learn says of random predictions, for sklearn_test.cc.

    tests/sklearn/make_fixtures.py [--check]

Wants Debian's python3-sklearn; written with 1.2.1. With --check it compares with the file instead, to 1e-12 of each figure. The
cases have examples without labels, weights (`sample_weight`), equal probabilities, classes without examples, and one class alone. Where the definitions
leave a choice, ours are:
- of equal probabilities the class of the lower number comes first (top_k_accuracy_score takes the higher: columns are reversed
  for it);
- means over the classes go over those that are labels or predictions; means of areas over classes that have both kinds;
- kappa is 0 where it has no value.
"""
import json
import math
import os
import random
import sys
import warnings

import numpy as np
from sklearn import metrics

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "figures.json")
UNITS = 64  # probabilities are multiples of 1/64: exact in float32, and often equal


def probabilities(rng, classes):
    cuts = sorted(rng.randrange(UNITS - classes + 1) for _ in range(classes - 1))
    return [(b - a + 1) / UNITS for a, b in zip([0] + cuts, cuts + [UNITS - classes])]


def weights_of(rng, examples):
    """Multiples of 1/8 up to 4, a fifth of them 0: exact in float32."""
    return [0.0 if rng.random() < 0.2 else rng.randrange(1, 33) / 8 for _ in range(examples)]


def areas(positive, score, weights):
    if len({kind for kind, weight in zip(positive, weights) if weight > 0}) < 2:
        return {}
    return {"roc_auc": metrics.roc_auc_score(positive, score, sample_weight=weights),
            "average_precision": metrics.average_precision_score(positive, score, sample_weight=weights)}


def mean_of(entries, key):
    values = [entry[key] for entry in entries if key in entry]
    return {key: sum(values) / len(values)} if values else {}


def of_classes(rng, classes, examples, missing, labels_from, top, weigh=None):
    p = [probabilities(rng, classes) for _ in range(examples)]
    if classes in (2, 4):
        p[0] = [1 / classes] * classes  # all classes are equal
    labels = [-1 if rng.random() < missing else rng.choice(labels_from) for _ in range(examples)]
    labels[-1] = labels_from[0]
    kept = [i for i in range(examples) if labels[i] >= 0]
    y, scores = np.array([labels[i] for i in kept]), np.array([p[i] for i in kept])
    weights = weights_of(weigh, examples) if weigh else [1.0] * examples
    w = np.array([weights[i] for i in kept])
    said = scores.argmax(axis=1)  # the first class of the highest score
    everything = list(range(classes))
    occurring = sorted(set(y.tolist()) | set(said.tolist()))
    precision, recall, f1, count = metrics.precision_recall_fscore_support(y, said, labels=occurring, zero_division=0, sample_weight=w)
    count = [int(np.sum(y == c)) for c in occurring]
    by_class = []
    for i, c in enumerate(occurring):
        by_class.append({"class_number": c, "examples": int(count[i]), "precision": precision[i], "recall": recall[i], "f1": f1[i],
                         **areas((y == c).astype(int), scores[:, c], w)})
    ranked = by_class if classes != 2 else [entry for entry in by_class if entry["class_number"] == 1]
    kappa = metrics.cohen_kappa_score(y, said, sample_weight=w)
    figures = {
        "examples": len(kept),
        "accuracy": metrics.accuracy_score(y, said, sample_weight=w),
        "macro_precision": metrics.precision_score(y, said, average="macro", zero_division=0, sample_weight=w),
        "macro_recall": metrics.recall_score(y, said, average="macro", zero_division=0, sample_weight=w),
        "macro_f1": metrics.f1_score(y, said, average="macro", zero_division=0, sample_weight=w),
        "kappa": 0.0 if math.isnan(kappa) else kappa,
        "mcc": metrics.matthews_corrcoef(y, said, sample_weight=w),
        "log_loss": metrics.log_loss(y, scores, labels=everything, sample_weight=w),
        "brier": float(np.average(np.sum((scores - np.eye(classes)[y]) ** 2, axis=1), weights=w)),
        **mean_of(ranked, "roc_auc"),
        **mean_of(ranked, "average_precision"),
    }
    if classes > top and classes > 2:
        reverse = scores[:, ::-1]
        figures[f"top_{top}_accuracy"] = metrics.top_k_accuracy_score(classes - 1 - y, reverse, k=top, labels=everything, sample_weight=w)
    confusion = metrics.confusion_matrix(y, said, labels=occurring).tolist()
    return {"classes": classes, "top": top, "probabilities": p, "labels": labels, "figures": figures, "by_class": by_class,
            "confusion": confusion, **({"weights": weights} if weigh else {})}


def of_answers(rng, outputs, examples, missing, yes, weigh=None):
    p = [[rng.randrange(UNITS + 1) / UNITS for _ in range(outputs)] for _ in range(examples)]
    targets = [[0.5 if rng.random() < missing else float(rng.random() < yes) for _ in range(outputs)] for _ in range(examples)]
    targets[0] = [1.0] * outputs
    weights = weights_of(weigh, examples) if weigh else [1.0] * examples
    by_output = []
    for o in range(outputs):
        kept = [i for i in range(examples) if targets[i][o] != 0.5]
        y, score = np.array([int(targets[i][o]) for i in kept]), np.array([p[i][o] for i in kept])
        w = np.array([weights[i] for i in kept])
        said = (score > 0.5).astype(int)
        by_output.append({"output": o, "examples": len(kept), "accuracy": metrics.accuracy_score(y, said, sample_weight=w),
                          "precision": metrics.precision_score(y, said, zero_division=0, sample_weight=w),
                          "recall": metrics.recall_score(y, said, zero_division=0, sample_weight=w),
                          "f1": metrics.f1_score(y, said, zero_division=0, sample_weight=w), **areas(y, score, w)})
    figures = {}
    if outputs > 1:
        flat = [(targets[i][o], p[i][o] > 0.5, weights[i]) for i in range(examples) for o in range(outputs) if targets[i][o] != 0.5]
        y, said = np.array([int(t) for t, _, _ in flat]), np.array([int(s) for _, s, _ in flat])
        w = np.array([weight for _, _, weight in flat])
        whole = [i for i in range(examples) if 0.5 not in targets[i]]
        figures = {"micro_precision": metrics.precision_score(y, said, zero_division=0, sample_weight=w),
                   "micro_recall": metrics.recall_score(y, said, zero_division=0, sample_weight=w),
                   "micro_f1": metrics.f1_score(y, said, zero_division=0, sample_weight=w),
                   "exact_match": metrics.accuracy_score(np.array(targets)[whole].astype(int), (np.array(p)[whole] > 0.5).astype(int),
                                                          sample_weight=np.array(weights)[whole]),
                   **{f"macro_{key}": mean_of(by_output, key)[key] for key in ("precision", "recall", "f1")},
                   **mean_of(by_output, "roc_auc"), **mean_of(by_output, "average_precision")}
    return {"outputs": outputs, "probabilities": p, "targets": targets, "figures": figures, "by_output": by_output,
            **({"weights": weights} if weigh else {})}


def of_numbers(rng, outputs, examples, scale, weigh=None):
    def number():
        return float(np.float32(rng.gauss(0, 1) * scale))
    targets = [[number() for _ in range(outputs)] for _ in range(examples)]
    predictions = [[float(np.float32(t + number() / 4)) for t in row] for row in targets]
    weights = weights_of(weigh, examples) if weigh else [1.0] * examples
    by_output = []
    for o in range(outputs):
        y, said = [row[o] for row in targets], [row[o] for row in predictions]
        by_output.append({"output": o, "mse": metrics.mean_squared_error(y, said, sample_weight=weights),
                          "mae": metrics.mean_absolute_error(y, said, sample_weight=weights),
                          "r2": metrics.r2_score(y, said, sample_weight=weights)})
    return {"outputs": outputs, "predictions": predictions, "targets": targets, "by_output": by_output,
            **({"weights": weights} if weigh else {})}


def make():
    rng = random.Random(20)
    everything = [
        of_classes(rng, 2, 40, 0, [0, 1], 5), of_classes(rng, 2, 40, 0.5, [0, 1], 5), of_classes(rng, 2, 20, 0.2, [1], 5),
        of_classes(rng, 3, 50, 0.3, [0, 1, 2], 2), of_classes(rng, 4, 30, 0, [2], 1), of_classes(rng, 4, 50, 0.6, [0, 3], 2),
        of_classes(rng, 7, 60, 0.67, list(range(7)), 5), of_classes(rng, 7, 60, 0, list(range(7)), 3),
        of_classes(rng, 9, 25, 0.4, [1, 4, 8], 5), of_classes(rng, 6, 1, 0, [5], 5), of_classes(rng, 12, 12, 0.1, list(range(12)), 5),
    ]
    answers = [of_answers(rng, 1, 40, 0, 0.5), of_answers(rng, 1, 40, 0.4, 0.2), of_answers(rng, 4, 30, 0, 0.3), of_answers(rng, 3, 40, 0.3, 0.5),
               of_answers(rng, 2, 10, 0, 1.0), of_answers(rng, 5, 20, 0.1, 0.0)]
    numbers = [of_numbers(rng, 1, 30, 1), of_numbers(rng, 3, 25, 1e-4), of_numbers(rng, 2, 40, 1e5)]
    rng, weigh = random.Random(21), random.Random(22)
    everything += [
        of_classes(rng, 2, 40, 0.2, [0, 1], 5, weigh), of_classes(rng, 3, 50, 0, [0, 1, 2], 2, weigh),
        of_classes(rng, 7, 60, 0.4, list(range(7)), 3, weigh), of_classes(rng, 12, 14, 0, list(range(12)), 5, weigh),
    ]
    answers += [of_answers(rng, 1, 40, 0.2, 0.4, weigh), of_answers(rng, 4, 30, 0.1, 0.3, weigh)]
    numbers += [of_numbers(rng, 1, 30, 1, weigh), of_numbers(rng, 3, 25, 1e-4, weigh), of_numbers(rng, 2, 40, 1e5, weigh)]
    return {"sklearn": "1.2.1", "classes": everything, "answers": answers, "numbers": numbers}


def same(a, b, path):
    if isinstance(a, dict) and isinstance(b, dict):
        return [line for key in sorted(set(a) | set(b)) for line in same(a.get(key), b.get(key), f"{path}.{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [line for i, (x, y) in enumerate(zip(a, b)) for line in same(x, y, f"{path}[{i}]")]
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return [] if abs(a - b) <= 1e-12 * max(1, abs(a)) else [f"{path}: {a} here, {b} in the file"]
    return [] if a == b else [f"{path}: {a} here, {b} in the file"]


def main():
    warnings.simplefilter("ignore")  # warnings about figures without a value
    figures = json.loads(json.dumps(make()))
    if sys.argv[1:] == ["--check"]:
        with open(FILE, encoding="utf-8") as file:
            differences = same(figures, json.load(file), "figures")
        print("\n".join(differences))
        return 1 if differences else 0
    if sys.argv[1:]:
        sys.exit(__doc__)
    with open(FILE, "w", encoding="utf-8") as file:
        json.dump(figures, file, separators=(",", ":"), sort_keys=True)
        file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
