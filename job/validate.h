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
// Checks the parts against each other. Compares the model with the other parts only if
// `model_is_read` is true, and with shapes and labels of the data only if the data is imported.
void CheckTogether(const JobSpec& spec, bool model_is_read, nn::Mistakes& mistakes);

// Checks the model against the shape, lengths and labels of the dataset's examples. An image may
// feed a flat input, and a table an image input with as many values (in channel, row, column
// order). Several inputs together take all values of an example. `where` names the dataset in
// messages.
void CheckModelAgainstData(const nn::ModelConfig& model, const DatasetSummary& data,
                           const std::string& where, nn::Mistakes& mistakes);

// Runs all checks of the parts on a spec that was built or changed in code, except those of the
// model by itself. Returns all mistakes in one InvalidArgument. JobFromJson and Job::Build
// run the checks themselves.
Status ValidateJob(const JobSpec& spec);

}  // namespace dl::job
