#include "nn/conf/layers/window1d.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"

namespace dl::nn {
Json ToJson(const Extent1D& extent) { return extent.steps; }

void ReadValue(JsonObjectReader& reader, std::string_view key, Extent1D& out) {
  reader.Int(key, out.steps);
}

void CheckValue(const Field& field, const Extent1D& extent, Mistakes& mistakes) {
  mistakes.Range(std::string(field.what), extent.steps, static_cast<int64_t>(field.min),
                 static_cast<int64_t>(field.max));
}

void DescribeValue(const Field& field, const Extent1D& extent, std::vector<KeyRow>& rows) {
  rows.push_back(RowOf(field, KeyType::kIntegerList, ToJson(extent)));
}

Json ToJson(const Padding1D& padding) {
  return padding.same ? Json(std::string(kSamePadding)) : Json(padding.steps);
}

void ReadValue(JsonObjectReader& reader, std::string_view key, Padding1D& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  if (!json->is_string()) {
    out.same = false;
    return reader.Int(key, out.steps);
  }
  std::string word;
  reader.String(key, word);
  if (word == kSamePadding) {
    out = {.same = true};
  } else {
    reader.AddError(key, "must be a number or \"same\"");
  }
}

void CheckValue(const Field& field, const Padding1D& padding, Mistakes& mistakes) {
  CheckValue(field, Extent1D{padding.steps}, mistakes);
}

void DescribeValue(const Field& field, const Padding1D& padding, std::vector<KeyRow>& rows) {
  rows.push_back(RowOf(field, KeyType::kIntegerList, ToJson(padding)));
  rows.back().choices = kSamePadding;
}

Window Window1D::As2D() const {
  return {.kernel = {kernel.steps, 1},
          .stride = {stride.steps, 1},
          .padding = {.size = {padding.steps, 0}, .same = padding.same},
          .dilation = {dilation.steps, 1},
          .ceil_mode = ceil_mode};
}

std::optional<int64_t> Window1D::OutputSteps(const InputType& input, Mistakes& mistakes) const {
  const std::optional<Extent2D> extent = As2D().OutputExtent(AsImage(input), mistakes);
  if (!extent) return std::nullopt;
  return extent->height;
}

StepWindow Window1D::WindowOver(int64_t steps_in_front) const {
  StepWindow own{.stride = stride.steps,
                 .ceil_mode = ceil_mode,
                 .before = ceil_mode ? steps_in_front + padding.steps : 0};
  // With "same", a sequence of n steps has n / stride windows, rounded up.
  if (!padding.same) own.added = steps_in_front + 2 * padding.steps + 1 - As2D().Reach().height;
  return own;
}

InputType Window1D::OutputOf(const InputType& input, int64_t steps_in_front, int64_t steps,
                             int64_t features) const {
  InputType output = Sequence(steps, features);
  output.variable_length = input.variable_length;
  output.lengths = input.lengths;
  if (!input.variable_length) return output;
  const StepWindow own = WindowOver(steps_in_front);
  if (!own.KeepsLengths()) output.lengths.windows.push_back(own);
  return output;
}

}  // namespace dl::nn
