// Checks whether a model gives enough steps for labels that are sequences of classes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "dataset/example_table.h"
#include "nn/conf/model_config.h"

namespace dl::launch {

// Steps that the labels of an example need under the loss ctc: one for each class, and one for the
// blank between two equal classes.
struct NeededSteps {
  int64_t length = 0;   // steps of the example in the data
  int64_t needed = 0;   // steps that its labels need
  int64_t example = 0;  // counted from 0

  bool operator==(const NeededSteps&) const = default;
};

// The examples of a dataset that need the most steps. A length has an entry if one of its examples
// needs more steps than all shorter examples. The entry has the first example with the largest
// need. Both `length` and `needed` ascend. A model that gives these examples enough steps gives all
// examples enough, because no layer gives a longer example fewer steps.
using SequenceSteps = std::vector<NeededSteps>;

// Returns the steps that the labels of a table need. Empty if the labels are not sequences of
// classes.
SequenceSteps StepsOfLabels(const dataset::ExampleTable& table);

// Returns InvalidArgument, which names the example, if a layer of the model gives too few steps for
// it.
Status CheckSequenceSteps(const SequenceSteps& labels, const nn::ModelConfig& model);

}  // namespace dl::launch
