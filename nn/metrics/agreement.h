// Figures of a whole confusion matrix: one number for all classes.
#pragma once

#include <string_view>

#include "nn/metrics/metric_sums.h"

namespace dl::nn {

// All are 0 where their formula has no value, as for examples of a single class.
struct Agreement {
  // Means over the classes that were met, as a label or as a prediction, each class counting alike.
  // The mean over examples ("micro") of precision, of recall and of F1 is the accuracy: an example
  // has one class.
  double macro_precision = 0, macro_recall = 0, macro_f1 = 0;
  // Over the same classes the mean of right / (labelled + predicted - right), Jaccard's index,
  // which is called the mean intersection over union where the examples are pixels.
  double mean_iou = 0;
  // (p - e) / (1 - e), where p is the accuracy and e what it would be by chance. J. Cohen, "A
  // coefficient of agreement for nominal scales", 1960.
  double kappa = 0;
  // Matthews' correlation coefficient of any number of classes, R_K. J. Gorodkin, "Comparing two
  // K-category assignments by a K-category correlation coefficient", 2004.
  double mcc = 0;
};

// Of a class with a precision or a recall above 0 their harmonic mean, else 0.
double F1(double precision, double recall);

// In time of the classes and of the entries that are not 0. REQUIRES: sums with a confusion matrix.
Agreement AgreementOf(const MetricSums& sums);

// "loss", "accuracy", or of sums with a confusion matrix "macro_precision", "macro_recall",
// "macro_f1", "kappa", "mcc"; of sums with numbers "r2", "mse", "mae"; with scores "roc_auc",
// "average_precision". NaN for another name, and where the sums do not have it.
double FigureOf(const MetricSums& sums, std::string_view name);

}  // namespace dl::nn
