// Hides tokens from a model that has to fill them in (Devlin et al., NAACL 2019, section 3.1,
// "Masked LM"). The choice is a pure function of a seed, the epoch and the example. Training uses
// the job's seed, so the choice differs in each epoch. Evaluations use seed 0 and epoch 0, so all
// evaluations hide the same tokens.
#pragma once

#include <cstdint>
#include <span>

#include "dataset/schema.h"

namespace dl::dataset {

struct TokenDraw {
  uint64_t seed = 0;
  int64_t epoch = 0;
  uint64_t example = 0;  // id of the example
};

// Hides tokens of one example. Each token is selected for prediction with the schema's probability,
// and at least one is selected. A selected token becomes <mask> with probability 80 %, a random
// token other than <mask> with 10 %, and stays with 10 %. The labels of tokens that are not
// selected become kNoLabel. REQUIRES: a schema with mask_probability, and `tokens` and `labels` of
// its size.
void HideTokens(const Schema& schema, const TokenDraw& draw, std::span<float> tokens,
                std::span<int32_t> labels);

}  // namespace dl::dataset
