#include "nn/conf/label_parts.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace dl::nn {
namespace {

constexpr float kMostWhole = 0x1.0p24f;  // above it, not every integer is a float32

}  // namespace

Status CutClasses(const ModelOutput& output, const LabelRows& rows, std::span<int32_t> classes) {
  for (size_t r = 0; r < classes.size(); ++r) {
    const float label = rows.values[static_cast<int64_t>(r) * rows.width + output.first_label];
    if (label == std::floor(label) && label >= static_cast<float>(kNoLabel) &&
        label <= kMostWhole) {
      classes[r] = static_cast<int32_t>(label);
      continue;
    }
    return InvalidArgument(
        {.message =
             absl::StrCat("label ", label, " is not a class: expected 0 to ", output.conf.units - 1,
                          ", or -1 if an example has no label for this output"),
         .where = absl::StrCat("layer ", output.name, ", labels[", r, "]"),
         .remedy = "Number the classes from 0, and put the columns of labels in the order of the "
                   "outputs."});
  }
  return absl::OkStatus();
}

void CutNumbers(const ModelOutput& output, const LabelRows& rows, std::span<float> numbers) {
  for (int64_t r = 0; r < rows.rows(); ++r) {
    std::ranges::copy(rows.values.subspan(r * rows.width + output.first_label, output.label_count),
                      numbers.begin() + r * output.label_count);
  }
}

}  // namespace dl::nn
