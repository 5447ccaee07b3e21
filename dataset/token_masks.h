// Tokens that are hidden from a model which is to fill them in (Devlin et al., NAACL 2019, section
// 3.1, "Masked LM"), anew in each epoch: a pure function of the job's seed, the epoch and the
// example.
#pragma once

#include <cstdint>
#include <span>

#include "dataset/schema.h"

namespace dl::dataset {

struct TokenDraw {
  uint64_t seed = 0;
  int64_t epoch = 0;
  uint64_t example = 0;  // its id
};

// Of one example: each token is asked for with the schema's probability, and one of them at least.
// Of those 80 % become the token <mask>, 10 % any other token, 10 % stay. The others lose their
// labels. REQUIRES: a schema with mask_probability, its numbers of `tokens` and `labels`.
void HideTokens(const Schema& schema, const TokenDraw& draw, std::span<float> tokens,
                std::span<int32_t> labels);

}  // namespace dl::dataset
