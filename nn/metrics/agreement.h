// Metrics of a whole confusion matrix: one number for all classes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "nn/metrics/metric_sums.h"

namespace dl::nn {

// A metric is 0 if its formula has no value. For example, kappa and mcc are 0 if all labels and
// predictions are the same class.
struct Agreement {
  // Means over the classes that occur as a label or as a prediction, each class with equal weight.
  // The means over examples ("micro") of precision, recall and F1 equal the accuracy, because an
  // example has one class.
  double macro_precision = 0, macro_recall = 0, macro_f1 = 0;
  // Mean over the same classes of correct / (labelled + predicted - correct), Jaccard's index.
  // Called mean intersection over union if the examples are pixels.
  double mean_iou = 0;
  // (p - e) / (1 - e), where p is the accuracy and e the accuracy expected by chance. J. Cohen, "A
  // coefficient of agreement for nominal scales", 1960.
  double kappa = 0;
  // Matthews' correlation coefficient for any number of classes, R_K. J. Gorodkin, "Comparing two
  // K-category assignments by a K-category correlation coefficient", 2004.
  double mcc = 0;
};

// Returns the harmonic mean of precision and recall, or 0 if both are 0.
double F1(double precision, double recall);

// Uses the weights of examples if `sums` has them. Takes time proportional to the number of classes
// and of nonzero entries. REQUIRES: `sums` has a confusion matrix.
Agreement AgreementOf(const MetricSums& sums);

// Figures of one class; NaN if no example has the class as its label or its prediction.
struct ClassFigures {
  double precision = 0, recall = 0, f1 = 0;
};
// Returns the figures of each class, by its index. MetricSums::Precision and MetricSums::Recall
// define precision and recall. Takes as long as AgreementOf. REQUIRES: `sums` has a confusion
// matrix.
std::vector<ClassFigures> FiguresByClass(const MetricSums& sums);

// Returns the metric of this name:
//
// - "loss" or "accuracy".
// - "macro_precision", "macro_recall", "macro_f1", "kappa" or "mcc", if `sums` has a confusion
//   matrix.
// - "r2", "mse" or "mae", if `sums` has numbers.
// - "roc_auc" or "average_precision", if `sums` has scores.
//
// Returns NaN for other names, if `sums` lacks the metric, and if the metric has no value (as
// ScoreCounts::Rank for examples of one class only). An accuracy without predictions is 0, not NaN,
// and so are the metrics of a confusion matrix that have no value (Agreement).
// The loss and the metrics of numbers and of scores are NaN if the loss of an example was not
// finite. `units` applies to "mse" and "mae", as in NumberSums::MeanSquaredError: the errors of
// output o are first multiplied by units[o].
double FigureOf(const MetricSums& sums, std::string_view name, std::span<const double> units = {});

}  // namespace dl::nn
