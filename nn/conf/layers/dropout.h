// Inverted dropout: in training each value is 0 with probability p, else x / (1 - p); otherwise the
// identity (Srivastava et al., JMLR 2014). A value is dropped when its 32 random bits are below
// DropThreshold(p): integers, so that the mask does not depend on the machine.
#pragma once

#include "nn/conf/layers/layer.h"

namespace dl::nn {

struct LayerSample;

struct Dropout : NamedLayer<Dropout> {
  static constexpr std::string_view kTag = "dropout";
  static constexpr std::string_view kNamePrefix = "dropout";
  static constexpr InputNeed kNeeds = InputNeed::kAny;

  Dropout() = default;
  explicit Dropout(double drop_probability) : probability(drop_probability) {}

  double probability = 0.5;  // of dropping; 0 <= p < 1

  bool operator==(const Dropout&) const = default;
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(Field{.key = "probability",
                .what = "the probability of dropping",
                .max = 0.999999,
                .meaning = "Probability of dropping a value; below 1"},
          self.probability);
  }
  static std::vector<LayerSample> Samples();
};

// floor(p * 2^32). REQUIRES: 0 <= p < 1.
uint32_t DropThreshold(double probability);

}  // namespace dl::nn
