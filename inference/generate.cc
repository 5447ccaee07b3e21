#include "inference/generate.h"

#include <vector>

#include "base/philox.h"
#include "dataset/readers/text/text_vocabulary.h"

namespace dl::inference {

StatusOr<int64_t> GenerateText(LanguageModel& model, const GenerateOptions& options) {
  DL_ASSIGN_OR_RETURN(std::vector<int32_t> tokens, model.TokensOf(options.prompt, "prompt"));
  const auto given = static_cast<int64_t>(tokens.size());
  if (given == 0) {
    return InvalidArgument(
        {.message = "the prompt has no token",
         .where = "prompt",
         .remedy = "Give a prompt with at least one token, with which the text begins"});
  }
  std::string last = options.prompt;  // text that was written last
  DL_RETURN_IF_ERROR(options.write(last));
  for (int64_t i = 0; i < options.length; ++i) {
    DL_ASSIGN_OR_RETURN(const std::span<const float> probabilities, model.Next(tokens));
    RandomStream stream({.seed = options.seed,
                         .purpose = RandomPurpose::kGenerate,
                         .a = static_cast<uint64_t>(tokens.size())});
    const int64_t token = ChooseToken(probabilities, options.sampling, stream.NextDouble());
    tokens.push_back(static_cast<int32_t>(token));
    last = dataset::TokenText(model.vocabulary()[token], model.unit(), last);
    DL_RETURN_IF_ERROR(options.write(last));
  }
  return given;
}

}  // namespace dl::inference
