// Sums that an evaluation on a cluster announces in addition to loss and accuracy. The master
// computes the metric of early stopping from these sums.
#pragma once

#include <cstdint>

#include "job/job_spec.h"

namespace dl::job {

// Sizes of the sums, which are about the units of the model's last output.
struct AnnouncedFigures {
  int64_t classes = 0;  // classes of the confusion matrix; 0: no matrix
  int64_t numbers = 0;  // units that predict a number and whose errors are summed; 0: none
  // Units whose predicted probabilities (scores) are counted (nn/metrics/score_counts.h): the
  // second of two classes, each of more classes, or each answer to a yes-or-no question. 0: none.
  int64_t scores = 0;

  bool operator==(const AnnouncedFigures&) const = default;
};

// Limits for the number of labels of the test set times AnnouncedFigures::scores. Each test example
// has nn::ModelOutput::CountedPerExample() labels. Until an evaluation ends, the master keeps up to
// 24 bytes for each label and unit. kMaxWatchedScores is for jobs whose early stopping needs
// scores (roc_auc, average_precision), kMaxScores for all other jobs.
inline constexpr int64_t kMaxScores = 4 << 20;
inline constexpr int64_t kMaxWatchedScores = 16 << 20;

// Returns the sizes for the model's last output and a test set of `test_examples`. A size is 0 if
// the output has no such sum, or exceeds kMaxAnnouncedClasses, kMaxAnnouncedNumbers or
// kMaxAnnouncedScoreOutputs (base/limits.h). `scores` is also 0 if the test set exceeds the limit
// above.
AnnouncedFigures AnnouncedFiguresOf(const JobSpec& spec, int64_t test_examples);

// Returns InvalidArgument if early stopping needs scores and the test set exceeds the limit, else
// OK. REQUIRES: the job has no early stopping, or CheckWatchedMetric adds no mistake.
Status CheckWatchedScores(const JobSpec& spec, int64_t test_examples);

// Returns whether the metric is for predicted numbers: "r2", "mse" or "mae".
bool IsMetricOfNumbers(std::string_view metric);

// Returns whether evaluations compute the metric for the output. Does not consider the size of the
// test set. REQUIRES: `metric` is one of kWatchedMetrics.
bool HasFigure(const nn::Output& output, std::string_view metric);

// Adds a mistake if HasFigure is false for the metric of early stopping and the last output.
// REQUIRES: the job has early stopping and a model.
void CheckWatchedMetric(const JobSpec& spec, nn::Mistakes& mistakes);

}  // namespace dl::job
