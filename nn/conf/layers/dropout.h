// Inverted dropout (Srivastava et al., JMLR 2014). In training each value becomes 0 with
// probability p, otherwise x / (1 - p). Inference is the identity. A value is dropped if its 32
// random bits are below DropThreshold(p). The comparison of integers makes the mask independent of
// the machine. Other kinds:
//   spatial    drops whole channels of an image or volume, or features of a sequence at all steps
//              (Tompson et al., CVPR 2015, section 3.2).
//   gaussian   multiplies each value by 1 + e, with e normal of variance p / (1 - p): mean and
//              variance are those of the plain kind (Srivastava et al., section 10).
//   alpha      replaces dropped values by the negative limit of SELU, then scales and shifts all
//              values, so that mean 0 and variance 1 are kept (Klambauer et al., NIPS 2017, "Alpha
//              Dropout").
#pragma once

#include "nn/conf/layers/layer_base.h"
#include "nn/conf/words.h"

namespace dl::nn {

struct LayerSample;

enum class DropoutKind : uint8_t { kPlain, kSpatial, kGaussian, kAlpha };
template <>
struct WordsOf<DropoutKind> {
  static constexpr std::string_view kWords[] = {"plain", "spatial", "gaussian", "alpha"};
};

struct Dropout : NamedLayer<Dropout> {
  static constexpr std::string_view kTag = "dropout";
  static constexpr std::string_view kNamePrefix = "dropout";
  static constexpr InputNeed kNeeds = InputNeed::kAny;
  static constexpr bool kTakesVariableLength = true;

  Dropout() = default;
  explicit Dropout(double drop_probability) : probability(drop_probability) {}

  Dropout& Kind(DropoutKind value) {
    kind = value;
    return *this;
  }

  double probability = 0.5;  // of dropping; 0 <= p < 1
  DropoutKind kind = DropoutKind::kPlain;

  bool operator==(const Dropout&) const = default;
  // Returns `input`. Adds a mistake and returns nullopt for kind spatial with a flat input.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(Field{.key = "probability",
                .what = "the probability of dropping",
                .max = 0.999999,
                .meaning = "Probability of dropping a value. Below 1"},
          self.probability);
    visit(Field{.key = "kind",
                .meaning =
                    "`plain` = single values, `spatial` = whole channels, or features at all "
                    "steps, `gaussian` = multiplies by normal noise, `alpha` = for use after selu"},
          self.kind);
  }
  static std::vector<LayerSample> Samples();
};

inline Dropout SpatialDropout(double probability) {
  return Dropout(probability).Kind(DropoutKind::kSpatial);
}
inline Dropout GaussianDropout(double probability) {
  return Dropout(probability).Kind(DropoutKind::kGaussian);
}
inline Dropout AlphaDropout(double probability) {
  return Dropout(probability).Kind(DropoutKind::kAlpha);
}

// Returns floor(p * 2^32). REQUIRES: 0 <= p < 1.
uint32_t DropThreshold(double probability);

// Terms of alpha dropout: a kept value x becomes scale x + shift, a dropped value becomes
// `dropped`.
struct AlphaTerms {
  double scale = 1, shift = 0, dropped = 0;
};
// REQUIRES: 0 <= p < 1.
AlphaTerms AlphaTermsOf(double probability);

}  // namespace dl::nn
