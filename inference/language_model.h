// Computes the probabilities of the next text token with the model of a checkpoint. Tokens are text
// tokens here: characters, words or bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "dataset/manifest.h"
#include "dataset/normalizer.h"
#include "inference/checkpoint_model.h"
#include "job/sources/text.h"

namespace dl::inference {

// Not thread-safe.
class LanguageModel {
 public:
  // `training` is the manifest of the job's training set; its class names are the vocabulary.
  // Returns the errors of CompileCheckpoint and nn::Network::Predict. Returns FailedPrecondition
  //   - if the model predicts numbers, or its examples are not sequences of tokens;
  //   - if an example does not have a label for each step, or the classes are not the tokens of a
  //     vocabulary;
  //   - if it was trained to fill in hidden tokens;
  //   - if the output for a step depends on later tokens. Create() tests this by two predictions,
  //     because the list of layers does not show it.
  // `contract`: see CompileCheckpoint.
  static StatusOr<std::unique_ptr<LanguageModel>> Create(const LoadedCheckpoint& checkpoint,
                                                         const dataset::Manifest& training,
                                                         const std::string& contract);

  const std::string& kernel_contract() const { return model_.kernel_contract; }
  const std::vector<std::string>& vocabulary() const { return schema_.class_names(); }
  job::TextUnit unit() const { return unit_; }

  // Returns the tokens of a text. A token that the vocabulary lacks becomes <unk>. Returns
  // InvalidArgument with the position for such a token if the vocabulary has no <unk>, and the
  // errors of TextTokens::ReadText. `name` is the name of the text in errors.
  StatusOr<std::vector<int32_t>> TokensOf(std::string_view text, const std::string& name) const;

  // Returns for each token of the vocabulary the probability that it follows `tokens`. The model
  // reads a window of as many steps as an example of the training set has. The window holds the
  // last of `tokens`, so earlier tokens have no effect. If there are fewer tokens than steps, they
  // fill the first steps, and the remaining steps have no effect. The result is valid until the
  // next call.
  // Returns FailedPrecondition if a probability is not finite, and the errors of
  // nn::Network::Predict. REQUIRES: at least one token.
  StatusOr<std::span<const float>> Next(std::span<const int32_t> tokens);

 private:
  LanguageModel(dataset::Schema schema, const dataset::Normalizer& normalizer, job::TextUnit unit,
                CheckpointModel model);
  StatusOr<std::span<const float>> Predict(std::span<const int32_t> window);
  Status CheckIsCausal(const std::string& name);

  const dataset::Schema schema_;
  const dataset::FeatureScaler scaler_;
  const job::TextUnit unit_;
  const size_t steps_;
  const CheckpointModel model_;
  std::vector<float> raw_, features_;  // of one example
};

}  // namespace dl::inference
