#include "nn/conf/layers/reshape.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

void Reshape::Check(Mistakes& mistakes) const {
  if (shape.empty() || shape.size() > 4) {
    mistakes.Add(absl::StrCat("its shape has ", shape.size(), " extents"),
                 "Give [features], [steps, features], [channels, height, width] or [channels, "
                 "depth, height, width]");
  }
  for (const int64_t extent : shape)
    mistakes.Range("an extent of the shape", extent, 1, limits::kMaxExtent);
}

std::optional<InputType> Reshape::OutputType(const InputType& input, Mistakes& mistakes) const {
  const InputType output = shape.size() == 1   ? FeedForward(shape[0])
                           : shape.size() == 2 ? Sequence(shape[0], shape[1])
                           : shape.size() == 3 ? Image(shape[0], shape[1], shape[2])
                                               : Volume(shape[0], shape[1], shape[2], shape[3]);
  int64_t left = input.Elements();  // uses division, because the product could overflow
  for (const int64_t extent : shape) left = left % extent == 0 ? left / extent : 0;
  if (left == 1) return output;
  mistakes.Add(absl::StrCat("makes ", Describe(output), " of ", Describe(input),
                            ", which have different numbers of values"),
               absl::StrCat("Give a shape of ", input.Elements(), " values"));
  return std::nullopt;
}

std::vector<LayerSample> Reshape::Samples() {
  return {
      {Reshape(Image(2, 3, 4)), FeedForward(24)},    {Reshape(Sequence(6, 4)), Image(2, 3, 4)},
      {Reshape(FeedForward(12)), Sequence(4, 3)},    {Reshape(Image(3, 4, 2)), Sequence(4, 6)},
      {Reshape(Image(4, 3, 2)), Image(2, 3, 4)},     {Reshape(Sequence(2, 6)), Sequence(4, 3)},
      {Reshape(FeedForward(5)), FeedForward(5)},     {Reshape(Volume(2, 3, 2, 2)), Image(3, 4, 2)},
      {Reshape(Image(3, 4, 2)), Volume(2, 1, 3, 4)},
  };
}

}  // namespace dl::nn
