// Decides which numbers of a label training.target_normalizer shifts and scales.
#pragma once

#include <vector>

#include "job/job_spec.h"
#include "nn/conf/mistakes.h"
#include "nn/conf/model_config.h"

namespace dl::job {

// For each number of a label whether it is scaled: its output has a loss of distances
// (mean_squared_error, mean_absolute_error, huber). Other losses need their labels as they are:
// classes, answers 0 and 1, counts. Empty where a label is no row of numbers.
std::vector<bool> ScaledTargets(const nn::ModelConfig& model);

// Adds a mistake when the job has a target normalizer and the model no number that it applies to.
void CheckTargetNormalizer(const JobSpec& spec, nn::Mistakes& mistakes);

}  // namespace dl::job
