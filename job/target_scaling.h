// Decides which numbers of a label are shifted and scaled by training.target_normalizer.
#pragma once

#include <vector>

#include "job/job_spec.h"
#include "nn/conf/mistakes.h"
#include "nn/conf/model_config.h"

namespace dl::job {

// Returns for each number of a label whether it is scaled. A number is scaled if every output that
// uses it has a distance loss: mean_squared_error, mean_absolute_error or huber. Other losses need
// unscaled labels, such as classes, the answers 0 and 1, or counts. Returns an empty vector if a
// label is not a row of numbers.
std::vector<bool> ScaledTargets(const nn::ModelConfig& model);

// Adds a mistake if the job has a target normalizer, but no number of a label is scaled.
void CheckTargetNormalizer(const JobSpec& spec, nn::Mistakes& mistakes);

}  // namespace dl::job
