// A label may be a row of several numbers. The functions decide which of these numbers
// training.target_normalizer shifts and scales.
#pragma once

#include <vector>

#include "job/job_spec.h"
#include "nn/conf/mistakes.h"
#include "nn/conf/model_config.h"

namespace dl::job {

// Returns whether each number of the row is scaled. A number is scaled if every output of the model
// that uses it has a distance loss: mean_squared_error, mean_absolute_error or huber. Other losses
// need unscaled labels, such as classes, the answers 0 and 1, or counts. Returns an empty vector if
// labels are not rows of numbers, for example if the only label is a class.
std::vector<bool> ScaledTargets(const nn::ModelConfig& model);

// Adds a mistake if the job has a target normalizer, but no number of a label is scaled.
void CheckTargetNormalizer(const JobSpec& spec, nn::Mistakes& mistakes);

}  // namespace dl::job
