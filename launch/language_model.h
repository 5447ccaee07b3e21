// A checkpoint that says, of a text, how probable each token is as the next one.
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
#include "job/sources/text.h"
#include "launch/checkpoint_model.h"

namespace dl::launch {

// Not thread-safe.
class LanguageModel {
 public:
  // `training`: the manifest of the job's training set, whose class names are the vocabulary.
  // FailedPrecondition where the model is none of texts (it has no label for each step, or its
  // classes are no vocabulary), or looks ahead: what it says of a step follows from tokens behind
  // it. That is tried, on tokens; no list of layers says it. Also when this machine does not offer
  // the contract.
  static StatusOr<std::unique_ptr<LanguageModel>> Create(const LoadedCheckpoint& checkpoint,
                                                         const dataset::Manifest& training,
                                                         const std::string& contract);

  const std::string& kernel_contract() const { return model_.kernel_contract; }
  const std::vector<std::string>& vocabulary() const { return schema_.class_names; }
  job::TextUnit unit() const { return unit_; }

  // The tokens of a text. InvalidArgument for one that the vocabulary lacks, with its place, which
  // calls the text `name`.
  StatusOr<std::vector<int32_t>> TokensOf(std::string_view text, const std::string& name) const;

  // Of each token, as the one behind these. The model sees the last `steps` of them; fewer begin at
  // its first step, as an example of its training set does, and what stands behind them is no
  // matter. Valid until the next call. REQUIRES: there is one. FailedPrecondition when they are no
  // finite numbers.
  StatusOr<std::span<const float>> Next(std::span<const int32_t> tokens);

 private:
  LanguageModel(dataset::Schema schema, const dataset::Normalizer& normalizer, job::TextUnit unit,
                CheckpointModel model);
  StatusOr<std::span<const float>> Predict(std::span<const int32_t> window);
  Status CheckSeesNothingAhead(const std::string& name);

  const dataset::Schema schema_;
  const dataset::FeatureScaler scaler_;
  const job::TextUnit unit_;
  const size_t steps_;
  const CheckpointModel model_;
  std::vector<float> raw_, features_;  // of an example
};

}  // namespace dl::launch
