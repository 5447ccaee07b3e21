// Generates text with a language model (dl-submit generate). Tokens are text tokens here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "inference/language_model.h"
#include "inference/sampling.h"

namespace dl::inference {

struct GenerateOptions {
  std::string prompt;  // the beginning of the text; must have at least one token
  int64_t length = 0;  // number of tokens to generate after the prompt; 0: none
  Sampling sampling;
  uint64_t seed = 1;
  // Called once with the unchanged prompt, after the prompt was split into tokens. Then called with
  // the text of each generated token. An error ends the generation. REQUIRES: not empty.
  std::function<Status(std::string_view)> write;
};

// Generates `length` tokens after the prompt and returns the number of tokens in the prompt. The
// random number for a token depends only on the seed and on the number of tokens before it,
// including the prompt. A second call can therefore continue a generated text. Its prompt must
// consist of the first prompt and the first tokens that the first call generated. With an equal
// seed and equal sampling, the second call generates the next tokens of the first call. All
// machines with one kernel contract generate the same text.
// Returns InvalidArgument if the prompt has no token, and the errors of LanguageModel::TokensOf,
// LanguageModel::Next and `write`. Must not be called while another thread uses `model`.
StatusOr<int64_t> GenerateText(LanguageModel& model, const GenerateOptions& options);

}  // namespace dl::inference
