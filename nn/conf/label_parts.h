// The labels of a model whose outputs have several of their own, output by output
// (nn/conf/model_outputs.h).
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

// The classes of an output that has some, one for each row, kNoLabel where it has none.
// InvalidArgument: the first that is no whole number from -1 on. REQUIRES: as many `classes` as
// rows.
Status CutClasses(const ModelOutput& output, const LabelRows& rows, std::span<int32_t> classes);
// The numbers of one that has numbers. REQUIRES: `numbers` of [rows, label_count].
void CutNumbers(const ModelOutput& output, const LabelRows& rows, std::span<float> numbers);

}  // namespace dl::nn
