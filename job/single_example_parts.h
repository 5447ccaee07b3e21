// Finds steps in which batch normalization sees a single example. If the layer has one value per
// channel and example, such a step cannot be normalized (nn/conf/layers/batch_norm.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "job/job_spec.h"
#include "job/training_config.h"
#include "nn/conf/mistakes.h"
#include "nn/conf/model_config.h"

namespace dl::job {

// Returns the first trained batch_norm layer that has one value per channel and example, if any.
std::optional<std::string> LayerThatNeedsSeveralExamples(const nn::ModelConfig& model);

// Adds a mistake if batch_size or micro_batch_size is 1 and the model has such a layer. Does not
// consider shorter last parts: SingleExampleParts counts these.
void CheckSingleExamples(const JobSpec& spec, nn::Mistakes& mistakes);

// Returns how many micro-batches of an epoch of `examples` have a single example, over all workers.
// Without micro-batches, counts minibatches instead. REQUIRES: `training` was checked.
int64_t SingleExampleParts(const TrainingConfig& training, int64_t examples);

}  // namespace dl::job
