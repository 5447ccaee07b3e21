// Sums that an evaluation on a cluster announces in addition to loss and accuracy. The master
// computes the metric of early stopping from them.
#pragma once

#include <cstdint>

#include "job/job_spec.h"

namespace dl::job {

struct AnnouncedFigures {
  int64_t classes = 0;  // classes of the confusion matrix; 0: no matrix
  int64_t numbers = 0;  // predicted numbers whose errors are summed; 0: none
  int64_t scores = 0;   // outputs whose examples are counted by score; 0: none

  bool operator==(const AnnouncedFigures&) const = default;
};

// Limits of the labels of the test set times the outputs that are counted by score, for jobs
// without and with early stopping by such a metric. The master keeps 24 bytes for each until an
// evaluation ends.
inline constexpr int64_t kMaxScores = 4 << 20;
inline constexpr int64_t kMaxWatchedScores = 16 << 20;

// Returns the sums for the model's last output. `scores` is 0 if the test set exceeds the limit.
AnnouncedFigures AnnouncedFiguresOf(const JobSpec& spec, int64_t test_examples);

// Returns InvalidArgument if early stopping needs scores and the test set exceeds the limit.
Status CheckWatchedScores(const JobSpec& spec, int64_t test_examples);

// Returns whether the metric is for predicted numbers: "r2", "mse" or "mae".
bool IsMetricOfNumbers(std::string_view metric);

// Returns whether evaluations of the output have the metric, which is one of kWatchedMetrics.
bool HasFigure(const nn::Output& output, std::string_view metric);

// Adds a mistake if the evaluations of the job do not have the metric of its early stopping.
// REQUIRES: the job has early stopping and a model.
void CheckWatchedMetric(const JobSpec& spec, nn::Mistakes& mistakes);

}  // namespace dl::job
