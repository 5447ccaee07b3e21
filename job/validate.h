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
// Checks each dataset, the split and the augmentation, and whether training set, test set and split
// fit together. Does not compare the augmentation with the examples: CheckTogether does that.
void CheckData(const DataConfig& data, nn::Mistakes& mistakes);
// Checks the parts against each other. Uses the model only if `model_is_read` is true, and shapes
// and labels of a dataset only if the dataset is imported.
void CheckTogether(const JobSpec& spec, bool model_is_read, nn::Mistakes& mistakes);

// Checks the model against the shape, lengths and labels of the dataset's examples. Shapes of
// different rank fit if they have the same number of values: an image may feed a flat input, and a
// table an image input (in channel, row, column order). Shapes of one rank must be equal. Several
// inputs together take all values of an example. `where` names the dataset in messages.
void CheckModelAgainstData(const nn::ModelConfig& model, const DatasetSummary& data,
                           const std::string& where, nn::Mistakes& mistakes);

// Runs all checks above on a spec that was built or changed in code, and those of training and
// initial weights. Does not check the model by itself. Returns all mistakes in one InvalidArgument.
// JobFromJson and Job::Build run these checks themselves.
Status ValidateJob(const JobSpec& spec);

}  // namespace dl::job
