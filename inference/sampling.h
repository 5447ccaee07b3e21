// Chooses the next text token. This is a pure function of the model's probabilities and one random
// number.
#pragma once

#include <cstdint>
#include <span>

namespace dl::inference {

struct Sampling {
  // Temperature. The probability of a token becomes proportional to p^(1 / temperature) (the
  // softmax of logits over a temperature: Hinton, Vinyals, Dean: "Distilling the knowledge in a
  // neural network", 2015, equation 1). At least 0. 0: the most probable token is always chosen.
  double temperature = 1;
  // Number of most probable tokens to choose from (Fan, Lewis, Dauphin: "Hierarchical neural story
  // generation", ACL 2018, section 5.1). At least 0. 0, or a number above the number of tokens:
  // all.
  int64_t top_k = 0;
};

// Returns the index of the chosen token. If tokens are equally probable, the token with the lower
// index comes first. `uniform` is in [0, 1). Probabilities need not sum to 1. Uses
// base/portable_math.h, so the result is the same on every CPU. REQUIRES: all probabilities are
// finite, and at least one is above 0. Thread-safe.
int64_t ChooseToken(std::span<const float> probabilities, const Sampling& sampling, double uniform);

}  // namespace dl::inference
