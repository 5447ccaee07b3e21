// The sums that an evaluation on a cluster announces besides loss and accuracy. The figure that
// early stopping uses is computed from them.
#pragma once

#include <cstdint>

#include "job/job_spec.h"

namespace dl::job {

struct AnnouncedFigures {
  int64_t classes = 0;      // of a confusion matrix; 0: there is none
  int64_t numbers = 0;      // outputs whose errors are summed; 0: none
  bool has_scores = false;  // counts of examples by score

  bool operator==(const AnnouncedFigures&) const = default;
};

// Returns the sums of the last output. It has numbers or scores only if early_stopping.metric needs
// them.
AnnouncedFigures AnnouncedFiguresOf(const JobSpec& spec);

// "r2", "mse" or "mae": a figure of predicted numbers.
bool IsOfNumbers(std::string_view metric);

// Whether evaluations of the output can have the figure (one of kWatchedMetrics).
bool HasFigure(const nn::Output& output, std::string_view metric);

}  // namespace dl::job
