// A text that a model goes on with: what dl-submit generate does.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "launch/language_model.h"
#include "launch/sampling.h"

namespace dl::launch {

struct GenerateOptions {
  std::string prompt;  // at least one token
  int64_t length = 0;  // tokens behind it
  Sampling sampling;
  uint64_t seed = 1;
  // The prompt, once it is understood; then the text of each token as it is chosen. An error ends
  // it.
  std::function<Status(std::string_view)> write;
};

// The token behind n others is drawn by the number (seed, n), the prompt's counted: a prompt that
// is the beginning of what was written, of whole tokens, is gone on with in the same way. The same
// text on every machine of one kernel contract. How many tokens the prompt has. InvalidArgument for
// a prompt of none, or with one that the vocabulary lacks.
StatusOr<int64_t> GenerateText(LanguageModel& model, const GenerateOptions& options);

}  // namespace dl::launch
