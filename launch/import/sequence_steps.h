// Checks whether a model gives enough steps for labels that are sequences of classes.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "dataset/example_table.h"
#include "nn/conf/model_config.h"

namespace dl::launch {

// Steps that the labels of a dataset need under the loss ctc: one for each class, and one for the
// blank between two equal classes. Examples are counted from 0.
struct SequenceSteps {
  int64_t most = 0, most_example = 0;  // the example that needs the most steps
  // The first example that has fewer steps than it needs; -1 if there is none.
  int64_t short_example = -1, short_needed = 0, short_steps = 0;

  bool operator==(const SequenceSteps&) const = default;
};

// Returns the steps that the labels of a table need. All zeros if the labels are not sequences of
// classes.
SequenceSteps StepsOfLabels(const dataset::ExampleTable& table);

// Returns InvalidArgument, which names the example, if a layer of the model gives too few steps for
// it, or if the example itself has too few.
Status CheckSequenceSteps(const SequenceSteps& labels, const nn::ModelConfig& model);

}  // namespace dl::launch
