// A label may be a row of several numbers. The functions decide which of these numbers
// training.target_normalizer shifts and scales.
#pragma once

#include <vector>

#include "job/job_spec.h"
#include "nn/conf/mistakes.h"
#include "nn/conf/model_config.h"

namespace dl::job {

// Returns an entry for each number of the row: true if a target normalizer scales the number. It
// scales a number if every output of the model that uses the number has a distance loss:
// mean_squared_error, mean_absolute_error or huber. Other losses need unscaled labels, such as
// classes, the answers 0 and 1, or counts. Returns an empty vector if labels are not rows of
// numbers, for example if the only label is a class. Does not consider whether the job has a target
// normalizer.
std::vector<bool> ScaledTargets(const nn::ModelConfig& model);

// Adds a mistake if the job has a target normalizer, but no number of a label is scaled.
void CheckTargetNormalizer(const JobSpec& spec, nn::Mistakes& mistakes);

}  // namespace dl::job
