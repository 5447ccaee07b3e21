// Finds steps in which batch normalization has a single example. Where the layer has one value of
// each channel for an example, such a step cannot be normalized (nn/conf/layers/batch_norm.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "job/job_spec.h"
#include "job/training_config.h"
#include "nn/conf/mistakes.h"
#include "nn/conf/model_config.h"

namespace dl::job {

// The first batch_norm layer that is trained and has one value of each channel for an example.
std::optional<std::string> LayerThatNeedsSeveralExamples(const nn::ModelConfig& model);

// A mistake where each step computes one example at once, whatever the data is, and the model has
// such a layer.
void CheckSingleExamples(const JobSpec& spec, nn::Mistakes& mistakes);

// Parts of one example among what the workers compute at once in an epoch of `examples`. REQUIRES:
// a config that was checked.
int64_t SingleExampleParts(const TrainingConfig& training, int64_t examples);

}  // namespace dl::job
