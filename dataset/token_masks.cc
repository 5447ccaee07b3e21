#include "dataset/token_masks.h"

#include "base/philox.h"

namespace dl::dataset {

void HideTokens(const Schema& schema, const TokenDraw& draw, std::span<float> tokens,
                std::span<int32_t> labels) {
  RandomStream stream({.seed = draw.seed,
                       .purpose = RandomPurpose::kMaskTokens,
                       .a = static_cast<uint64_t>(draw.epoch),
                       .b = draw.example});
  const auto mask = static_cast<float>(schema.classes() - 1);
  // The same numbers are drawn for each token, so that the outcome for one token does not change
  // those of others.
  const size_t always = stream.Bounded(tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool asked = stream.NextDouble() < schema.mask_probability();
    const double becomes = stream.NextDouble();
    const auto other = static_cast<float>(stream.Bounded(schema.classes() - 1));
    if (!asked && i != always) {
      labels[i] = kNoLabel;
    } else if (becomes < 0.8) {
      tokens[i] = mask;
    } else if (becomes < 0.9) {
      tokens[i] = other;
    }
  }
}

}  // namespace dl::dataset
