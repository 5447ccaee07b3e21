#include "nn/conf/layers/window.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"

namespace dl::nn {
namespace {

struct Axis {
  std::string_view name;
  int64_t kernel, dilation, reach, padding;
};

void CheckAxis(const Axis& axis, Mistakes& mistakes) {
  const auto in_range = [](int64_t value) { return value >= 1 && value <= limits::kMaxWindow; };
  if (!in_range(axis.kernel) || !in_range(axis.dilation)) return;  // said already
  if (axis.reach > limits::kMaxWindow) {
    mistakes.Add(absl::StrCat("a kernel's ", std::string(axis.name), " of ", axis.kernel,
                              " with a dilation of ", axis.dilation, " reaches over ", axis.reach,
                              " pixels"),
                 absl::StrCat("Choose a smaller dilation: a window reaches over ",
                              limits::kMaxWindow, " pixels at most"));
    return;
  }
  if (axis.padding < axis.reach || axis.padding >= limits::kMaxWindow) return;
  mistakes.Add(absl::StrCat("the padding's ", std::string(axis.name), " is ", axis.padding,
                            " for a kernel of ", axis.kernel),
               axis.dilation == 1
                   ? "Choose a padding from 0 to the kernel less 1"
                   : absl::StrCat("Choose a padding from 0 to ", axis.reach - 1,
                                  ": the dilated kernel reaches over ", axis.reach, " pixels"));
}

// What "same" adds to `in`, on both sides together.
int64_t SamePadding(int64_t in, int64_t reach, int64_t stride) {
  const int64_t outputs = (in - 1) / stride + 1;
  return std::max<int64_t>(0, (outputs - 1) * stride + reach - in);
}

}  // namespace

Json ToJson(const Extent2D& extent) { return Json::array({extent.height, extent.width}); }

void ReadValue(JsonObjectReader& reader, std::string_view key, Extent2D& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  if (json->is_number()) {
    int64_t both = out.height;
    reader.Int(key, both);
    out = {both, both};
    return;
  }
  std::vector<int64_t> list;
  const size_t errors = reader.errors().size();
  reader.IntList(key, list);
  if (reader.errors().size() != errors) return;
  if (list.size() != 2) {
    reader.AddError(key, absl::StrCat("must be [height, width], has ", list.size(), " numbers"));
    return;
  }
  out = {list[0], list[1]};
}

void CheckValue(const Field& field, const Extent2D& extent, Mistakes& mistakes) {
  const auto axis = [&](std::string_view name, int64_t value) {
    mistakes.Range(absl::StrCat(std::string(field.what), " ", std::string(name)), value,
                   static_cast<int64_t>(field.min), static_cast<int64_t>(field.max));
  };
  axis("height", extent.height);
  axis("width", extent.width);
}

void DescribeValue(const Field& field, const Extent2D& extent, std::vector<KeyRow>& rows) {
  rows.push_back(RowOf(field, KeyType::kIntegerList, ToJson(extent)));
}

Json ToJson(const Padding& padding) {
  return padding.same ? Json(std::string(kSamePadding)) : ToJson(padding.size);
}

void ReadValue(JsonObjectReader& reader, std::string_view key, Padding& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  if (!json->is_string()) {
    out.same = false;
    ReadValue(reader, key, out.size);
    return;
  }
  std::string word;
  reader.String(key, word);
  if (word == kSamePadding) {
    out = {.same = true};
  } else {
    reader.AddError(key, "must be one number for both, [height, width] or \"same\"");
  }
}

void CheckValue(const Field& field, const Padding& padding, Mistakes& mistakes) {
  CheckValue(field, padding.size, mistakes);
}

void DescribeValue(const Field& field, const Padding& padding, std::vector<KeyRow>& rows) {
  rows.push_back(RowOf(field, KeyType::kIntegerList, ToJson(padding)));
  rows.back().choices = kSamePadding;
}

void Window::Check(Mistakes& mistakes) const {
  const Extent2D reach = Reach();
  CheckAxis({.name = "height",
             .kernel = kernel.height,
             .dilation = dilation.height,
             .reach = reach.height,
             .padding = padding.size.height},
            mistakes);
  CheckAxis({.name = "width",
             .kernel = kernel.width,
             .dilation = dilation.width,
             .reach = reach.width,
             .padding = padding.size.width},
            mistakes);
}

Extent2D Window::Reach() const {
  const auto reach = [](int64_t kernel_size, int64_t gap) { return (kernel_size - 1) * gap + 1; };
  return {reach(kernel.height, dilation.height), reach(kernel.width, dilation.width)};
}

Window::Borders Window::BordersOf(const InputType& input) const {
  if (!padding.same) return {.before = padding.size, .behind = padding.size};
  const Extent2D reach = Reach();
  const Extent2D both = {SamePadding(input.height, reach.height, stride.height),
                         SamePadding(input.width, reach.width, stride.width)};
  const Extent2D before = {both.height / 2, both.width / 2};
  return {.before = before, .behind = {both.height - before.height, both.width - before.width}};
}

std::optional<Extent2D> Window::OutputExtent(const InputType& input, Mistakes& mistakes) const {
  const Extent2D reach = Reach();
  const Borders borders = BordersOf(input);
  const Extent2D padded = {input.height + borders.before.height + borders.behind.height,
                           input.width + borders.before.width + borders.behind.width};
  if (reach.height > padded.height || reach.width > padded.width) {
    mistakes.Add(absl::StrCat("a kernel of ", reach.height, "x", reach.width,
                              dilation == Extent2D{1, 1} ? "" : ", dilated,",
                              " does not fit the padded input of ", padded.height, "x",
                              padded.width, " (", Describe(input), ")"),
                 "Use a smaller kernel, more padding, or less pooling before it");
    return std::nullopt;
  }
  return Extent2D{(padded.height - reach.height) / stride.height + 1,
                  (padded.width - reach.width) / stride.width + 1};
}

}  // namespace dl::nn
