#include "nn/conf/layers/edges2d.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> ZeroPad2D::OutputType(const InputType& input, Mistakes&) const {
  return Image(input.channels, edges.top + input.height + edges.bottom,
               edges.left + input.width + edges.right);
}

std::optional<InputType> Crop2D::OutputType(const InputType& input, Mistakes& mistakes) const {
  const int64_t height = input.height - edges.top - edges.bottom;
  const int64_t width = input.width - edges.left - edges.right;
  if (height < 1 || width < 1) {
    mistakes.Add(
        absl::StrCat("nothing remains of ", Describe(input), " without ", edges.top, " and ",
                     edges.bottom, " rows, ", edges.left, " and ", edges.right, " columns"),
        "Keep at least one row and one column");
    return std::nullopt;
  }
  return Image(input.channels, height, width);
}

std::vector<LayerSample> ZeroPad2D::Samples() {
  return {
      {ZeroPad2D(1), Image(2, 3, 6)},
      {ZeroPad2D({.top = 1, .bottom = 2, .left = 3, .right = 4}), Image(3, 3, 2)},
      {ZeroPad2D({.bottom = 1, .right = 2}), Image(1, 5, 3)},
  };
}

std::vector<LayerSample> Crop2D::Samples() {
  return {
      {Crop2D(1), Image(2, 4, 5)},
      {Crop2D({.top = 1, .bottom = 2, .left = 3, .right = 1}), Image(3, 5, 6)},
      {Crop2D({.top = 2, .left = 1}), Image(1, 5, 3)},
  };
}

}  // namespace dl::nn
