// Checks of a job's parts, and of the parts against each other: model against data, training
// against data.
#pragma once

#include <string>

#include "base/status.h"
#include "job/job_spec.h"
#include "nn/conf/mistakes.h"

namespace dl::job {

// Functions with `mistakes` add what they find to it.
void CheckJobName(const std::string& name, nn::Mistakes& mistakes);  // rule: JobSpec::name
// Checks the datasets, the split and the augmentation, each for itself and in combination.
void CheckData(const DataConfig& data, nn::Mistakes& mistakes);
// Checks the parts against each other. Compares model and data only if the data is imported and
// `model_is_read` is true.
void CheckTogether(const JobSpec& spec, bool model_is_read, nn::Mistakes& mistakes);

// Checks the model against the dataset's number of inputs, image size, classes and targets. An
// image may feed a flat input, and a table an image input with as many values (in channel, row,
// column order). `where` names the dataset in messages.
void CheckModelAgainstData(const nn::ModelConfig& model, const DatasetSummary& data,
                           const std::string& where, nn::Mistakes& mistakes);

// Runs all checks on a spec that was built or changed in code. Returns all mistakes in one
// InvalidArgument. JobFromJson runs the checks itself.
Status ValidateJob(const JobSpec& spec);

}  // namespace dl::job
