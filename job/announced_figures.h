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

// Returns the sums for the model's last output.
AnnouncedFigures AnnouncedFiguresOf(const JobSpec& spec);

// Returns whether the metric is for predicted numbers: "r2", "mse" or "mae".
bool IsMetricOfNumbers(std::string_view metric);

// Returns whether evaluations of the output have the metric, which is one of kWatchedMetrics.
bool HasFigure(const nn::Output& output, std::string_view metric);

// Adds a mistake if the evaluations of the job do not have the metric of its early stopping.
// REQUIRES: the job has early stopping and a model.
void CheckWatchedMetric(const JobSpec& spec, nn::Mistakes& mistakes);

}  // namespace dl::job
