// Extracts the labels of each output, for a model in which several outputs have labels of their
// own. See nn/conf/model_outputs.h.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "nn/conf/model_outputs.h"

namespace dl::nn {

// Rows of labels, of examples or of their steps: [rows, width].
struct LabelRows {
  std::span<const float> values;
  int64_t width = 0;

  int64_t rows() const { return static_cast<int64_t>(values.size()) / width; }
};

// Sets `classes` to the classes of an output that has classes, one for each row, and to kNoLabel
// for rows without a label. InvalidArgument if a label is not an integer from -1 to 2^24; the
// message names the first one. Does not compare labels with the number of classes. REQUIRES:
// `classes` has as many entries as there are rows.
Status CutClasses(const ModelOutput& output, const LabelRows& rows, std::span<int32_t> classes);
// Sets `numbers`, [rows, label_count], to the targets of an output that has numbers.
void CutNumbers(const ModelOutput& output, const LabelRows& rows, std::span<float> numbers);

}  // namespace dl::nn
