#include "nn/conf/layers/window.h"

#include "absl/strings/str_cat.h"
#include "base/limits.h"

namespace dl::nn {
namespace {

// kMaxWindow is small enough that in + 2 padding cannot overflow.
void CheckAxis(std::string_view axis, int64_t kernel, int64_t stride, int64_t padding,
               Mistakes& mistakes) {
  const std::string name(axis);
  mistakes.Range("the kernel's " + name, kernel, 1, limits::kMaxWindow);
  mistakes.Range("the stride's " + name, stride, 1, limits::kMaxWindow);
  if (padding < 0 || (padding >= kernel && kernel >= 1)) {
    mistakes.Add(absl::StrCat("the padding's ", name, " is ", padding, " for a kernel of ", kernel),
                 "Choose a padding from 0 to the kernel less 1");
  }
}

Json Pair(const Extent2D& extent) { return Json::array({extent.height, extent.width}); }

// [height, width], or one number for both.
void ReadPair(JsonObjectReader& reader, std::string_view key, Extent2D& out) {
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

}  // namespace

void Window::Check(Mistakes& mistakes) const {
  CheckAxis("height", kernel.height, stride.height, padding.height, mistakes);
  CheckAxis("width", kernel.width, stride.width, padding.width, mistakes);
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

void Window::WriteJson(Json& json) const {
  json["kernel"] = Pair(kernel);
  json["stride"] = Pair(stride);
  json["padding"] = Pair(padding);
}

void Window::ReadJson(JsonObjectReader& reader) {
  ReadPair(reader, "kernel", kernel);
  ReadPair(reader, "stride", stride);
  ReadPair(reader, "padding", padding);
}

}  // namespace dl::nn
