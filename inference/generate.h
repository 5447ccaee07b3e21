// Generates text with a language model (dl-submit generate).
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
  std::string prompt;  // at least one token
  int64_t length = 0;  // number of tokens to generate after the prompt
  Sampling sampling;
  uint64_t seed = 1;
  // Receives the prompt when it has been parsed, and then the text of each token when it is chosen.
  // An error ends the generation. REQUIRES: not empty.
  std::function<Status(std::string_view)> write;
};

// Generates `length` tokens after the prompt and returns the number of tokens in the prompt. The
// token after n others is drawn with the random number (seed, n), where n includes the prompt. If
// the prompt is a prefix of an earlier text, in whole tokens, the continuation is therefore the
// same. All machines with one kernel contract generate the same text. Returns InvalidArgument if
// the prompt has no token, or one that the vocabulary lacks, and errors of LanguageModel::Next and
// of `write`.
StatusOr<int64_t> GenerateText(LanguageModel& model, const GenerateOptions& options);

}  // namespace dl::inference
