// Which token comes next: a pure function of the model's probabilities and of one random number.
#pragma once

#include <cstdint>
#include <span>

namespace dl::launch {

struct Sampling {
  // The probability of a token becomes proportional to p^(1 / temperature) (the softmax of logits
  // over a temperature: Hinton, Vinyals, Dean: "Distilling the knowledge in a neural network",
  // 2015, equation 1). 0: always the most probable one.
  double temperature = 1;
  // Only the so many most probable ones are drawn from (Fan, Lewis, Dauphin: "Hierarchical neural
  // story generation", ACL 2018, section 5.1). 0: all.
  int64_t top_k = 0;
};

// Of equally probable tokens the one with the smaller index stands first. `uniform` is in [0, 1).
// Computed by base/portable_math.h: the same token on every CPU. REQUIRES: some probability is
// above 0, all are finite.
int64_t ChooseToken(std::span<const float> probabilities, const Sampling& sampling, double uniform);

}  // namespace dl::launch
