#include "nn/conf/layers/window.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"

namespace dl::nn {
namespace {

void CheckAxis(std::string_view axis, int64_t kernel, int64_t padding, Mistakes& mistakes) {
  if (padding < kernel || kernel < 1 || padding >= limits::kMaxWindow) return;
  mistakes.Add(absl::StrCat("the padding's ", std::string(axis), " is ", padding,
                            " for a kernel of ", kernel),
               "Choose a padding from 0 to the kernel less 1");
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

void Window::Check(Mistakes& mistakes) const {
  CheckAxis("height", kernel.height, padding.height, mistakes);
  CheckAxis("width", kernel.width, padding.width, mistakes);
}

std::optional<Extent2D> Window::OutputExtent(const InputType& input, Mistakes& mistakes) const {
  const Extent2D padded = {input.height + 2 * padding.height, input.width + 2 * padding.width};
  if (kernel.height > padded.height || kernel.width > padded.width) {
    mistakes.Add(absl::StrCat("a kernel of ", kernel.height, "x", kernel.width,
                              " does not fit the padded input of ", padded.height, "x",
                              padded.width, " (", Describe(input), ")"),
                 "Use a smaller kernel, more padding, or less pooling before it");
    return std::nullopt;
  }
  return Extent2D{(padded.height - kernel.height) / stride.height + 1,
                  (padded.width - kernel.width) / stride.width + 1};
}

}  // namespace dl::nn
