#include "inference/language_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "dataset/readers/text/text_tokens.h"
#include "dataset/readers/text/text_vocabulary.h"
#include "nn/conf/layers/output.h"

namespace dl::inference {
namespace {

Status NoLanguageModel(const std::string& name, std::string why) {
  return FailedPrecondition({.message = absl::StrCat("the model cannot generate text: ", why),
                             .where = name,
                             .remedy = "Name a job that was trained on a dataset of the format "
                                       "\"text\"; use other models with dl-submit predict"});
}

// Returns the unit of the tokens. Returns an error if the model does not predict a token of a
// vocabulary at each step.
StatusOr<job::TextUnit> UnitOf(const LoadedCheckpoint& checkpoint, const dataset::Schema& schema) {
  const std::string& name = checkpoint.name;
  const std::vector<int64_t>& shape = schema.feature_shape;
  if (schema.label_kind() != dataset::LabelKind::kClass ||
      !PredictsClasses(checkpoint.spec.model.output().loss))
    return NoLanguageModel(name, "it predicts numbers");
  if (shape.size() != 2 || shape[1] != 1)
    return NoLanguageModel(name, "its examples are no sequences of tokens");
  if (schema.mask_probability() > 0)
    return NoLanguageModel(name, "it fills in tokens that are hidden, and writes none behind them");
  if (schema.labels_per_example() != shape[0])
    return NoLanguageModel(name, "it has one label for an example, not one for each step");
  const auto unit = dataset::UnitOfVocabulary(schema.class_names());
  if (!unit) return NoLanguageModel(name, "its classes are no tokens of a text");
  return *unit;
}

}  // namespace

LanguageModel::LanguageModel(dataset::Schema schema, const dataset::Normalizer& normalizer,
                             job::TextUnit unit, CheckpointModel model)
    : schema_(std::move(schema)),
      scaler_(schema_, normalizer),
      unit_(unit),
      steps_(static_cast<size_t>(schema_.feature_shape[0])),
      model_(std::move(model)),
      raw_(steps_),
      features_(steps_) {}

StatusOr<std::unique_ptr<LanguageModel>> LanguageModel::Create(const LoadedCheckpoint& checkpoint,
                                                               const dataset::Manifest& training,
                                                               const std::string& contract) {
  DL_ASSIGN_OR_RETURN(const job::TextUnit unit, UnitOf(checkpoint, training.schema));
  DL_ASSIGN_OR_RETURN(CheckpointModel model, CompileCheckpoint(checkpoint, contract, 1));
  std::unique_ptr<LanguageModel> created(
      new LanguageModel(training.schema, training.normalizer, unit, std::move(model)));
  DL_RETURN_IF_ERROR(created->CheckIsCausal(checkpoint.name));
  return created;
}

StatusOr<std::vector<int32_t>> LanguageModel::TokensOf(std::string_view text,
                                                       const std::string& name) const {
  dataset::TextTokens read(unit_);
  DL_RETURN_IF_ERROR(read.ReadText(text, name));
  auto tokens = dataset::IndicesIn(vocabulary(), read);
  if (tokens.ok()) return tokens;
  return WithRemedy(tokens.status(),
                    "Leave it out, or train on a text that has it, or on bytes: unit \"byte\"");
}

StatusOr<std::span<const float>> LanguageModel::Next(std::span<const int32_t> tokens) {
  const auto window = tokens.last(std::min(tokens.size(), steps_));
  DL_ASSIGN_OR_RETURN(const std::span<const float> outputs, Predict(window));
  const size_t width = vocabulary().size();
  const auto next = outputs.subspan((window.size() - 1) * width, width);
  if (!std::all_of(next.begin(), next.end(), [](float p) { return std::isfinite(p); })) {
    return FailedPrecondition(
        {.message = "the model's outputs are not finite: its training diverged",
         .remedy = "Use an earlier checkpoint, or train with a smaller learning rate"});
  }
  return next;
}

StatusOr<std::span<const float>> LanguageModel::Predict(std::span<const int32_t> window) {
  std::fill(raw_.begin(), raw_.end(), 0.0f);
  std::copy(window.begin(), window.end(), raw_.begin());
  scaler_.Apply(std::span<const float>(raw_), features_);
  model_.network->BeginStreams();
  return model_.network->Predict({.examples = 1, .features = features_});
}

// Predicts two windows that differ in their second halves. A model that can predict the token after
// the first half gives the same bits there.
Status LanguageModel::CheckIsCausal(const std::string& name) {
  const size_t half = (steps_ + 1) / 2, width = vocabulary().size();
  std::vector<int32_t> window(steps_, 0);
  DL_ASSIGN_OR_RETURN(std::span<const float> outputs, Predict(window));
  const std::vector<float> before(outputs.begin(), outputs.begin() + half * width);
  std::fill(window.begin() + half, window.end(), static_cast<int32_t>(width) - 1);
  DL_ASSIGN_OR_RETURN(outputs, Predict(window));
  if (std::memcmp(before.data(), outputs.data(), before.size() * sizeof(float)) == 0)
    return absl::OkStatus();
  return FailedPrecondition(
      {.message = "the model predicts a token from the tokens after it, which do not exist yet "
                  "when a text is generated",
       .where = name,
       .remedy = "Train it with \"causal\": true in its layers of type self_attention"});
}

}  // namespace dl::inference
