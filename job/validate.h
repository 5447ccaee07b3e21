// Checks of a job beyond its single values: model against data, training against data.
#pragma once

#include <string>

#include "base/status.h"
#include "job/job_spec.h"
#include "nn/conf/mistakes.h"

namespace dl::job {

void CheckJobName(const std::string& name, nn::Mistakes& mistakes);
void CheckData(const DataConfig& data, nn::Mistakes& mistakes);
// What the parts demand of each other. Model and data are compared where the data is imported and
// `model_is_read`.
void CheckTogether(const JobSpec& spec, bool model_is_read, nn::Mistakes& mistakes);

// The number of inputs, image extents, classes or targets of a dataset against the model. An image
// may feed a flat input and a table an image of as many values (in channel, row, column order).
void CheckModelAgainstData(const nn::ModelConfig& model, const DatasetSummary& data,
                           const std::string& where, nn::Mistakes& mistakes);

// All checks of a spec that was made by hand or changed after reading; JobFromJson does them by
// itself.
Status ValidateJob(const JobSpec& spec);

}  // namespace dl::job
