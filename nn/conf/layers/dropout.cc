#include "nn/conf/layers/dropout.h"

#include "base/portable_math.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> Dropout::OutputType(const InputType& input, Mistakes& mistakes) const {
  if (kind == DropoutKind::kSpatial && input.kind == InputKind::kFeedForward) {
    mistakes.Add("drops whole channels or features, but its input is " + Describe(input),
                 "Use the kind plain, or put it after a layer with images, volumes or sequences");
    return std::nullopt;
  }
  return input;
}

std::vector<LayerSample> Dropout::Samples() {
  return {
      {Dropout(0.5), FeedForward(16)},        {Dropout(0.25), Image(2, 3, 3)},
      {Dropout(0), FeedForward(5)},           {SpatialDropout(0.4), Image(5, 3, 2)},
      {SpatialDropout(0.3), Sequence(4, 3)},  {GaussianDropout(0.2), Image(3, 2, 3)},
      {GaussianDropout(0.5), Sequence(3, 5)}, {AlphaDropout(0.3), FeedForward(9)},
      {AlphaDropout(0.1), Image(3, 3, 2)},    {SpatialDropout(0.4), Volume(5, 2, 3, 2)},
      {Dropout(0.3), Volume(2, 3, 2, 2)},
  };
}

// Klambauer et al.: with q = 1 - p and a' = -lambda alpha of SELU,
// scale = (q + a'^2 q p)^(-1/2) and shift = -scale p a'.
AlphaTerms AlphaTermsOf(double probability) {
  constexpr double kLimit = -1.7580993408473766;  // a'
  const double keep = 1 - probability;
  const double scale = 1 / portable::Sqrt(keep + kLimit * kLimit * keep * probability);
  const double shift = -scale * probability * kLimit;
  return {.scale = scale, .shift = shift, .dropped = scale * kLimit + shift};
}

uint32_t DropThreshold(double probability) { return static_cast<uint32_t>(probability * 0x1.0p32); }

}  // namespace dl::nn
