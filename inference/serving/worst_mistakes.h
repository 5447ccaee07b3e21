// Finds the examples of an evaluation that a model gets most wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "dataset/batch_reader.h"
#include "dataset/manifest.h"
#include "dataset/target_normalizer.h"
#include "nn/conf/model_config.h"
#include "nn/conf/model_outputs.h"

namespace dl::inference {

// Compares the last output of a model with the labels, or with the features if the output
// reproduces the input (nn::ComparedWith::kInput). Examples without a label, and examples of weight
// 0, are left out. Not thread-safe.
class WorstMistakes {
 public:
  // Keeps the `most` worst examples; with 0 it only counts. `test` is the manifest of the evaluated
  // examples, whose labels are named as in the training set.
  WorstMistakes(const nn::ModelConfig& model, const dataset::Manifest& test, size_t most);

  // How examples are compared, which depends on the loss of the output.
  enum class Measure : uint8_t {
    kNone,       // not at all
    kClasses,    // "log_loss": the mean of -ln of the probability of each label
    kAnswers,    // "log_loss": the mean of -ln of the probability of each right answer
    kNumbers,    // "squared_error": the mean over the numbers, which are normalized
    kSequences,  // "label_error_rate": nn/metrics/sequence_report.h
  };
  Measure measure() const { return measure_; }
  // Returns the name of the measure in JSON. REQUIRES: the measure is not kNone.
  static const char* NameOf(Measure measure);

  // Adds a minibatch whose first example has the position `first` in the order of the evaluation.
  // `predictions` are those of the last output, [rows, units]. Returns InvalidArgument if the model
  // has several outputs and a label of the last output is not a whole number from -1 on.
  // REQUIRES: the network has accepted the labels of the batch, so classes are below `units`.
  Status Add(const dataset::Minibatch& batch, std::span<const float> predictions, int64_t first);

  struct Mistake {
    int64_t position = 0;
    double loss = 0;  // by the measure; infinite instead of NaN
    // - A single class or answer: "predicted", its "probability", and "label_probability", the
    //   probability of the label.
    // - Several classes or answers: "labels", their number, and "wrong", the number of wrong ones.
    // - Numbers and sequences of classes: "predicted", a number or a list of at most 64 entries.
    // - An output that reproduces the input: empty.
    Json shown;
  };
  // Returns the worst examples, the worst first. Examples that are predicted correctly are not in
  // the list; for numbers, all examples count. If losses are equal, the smaller position is first.
  const std::vector<Mistake>& worst() const { return worst_; }
  // Returns the number of examples that were predicted wrongly; nullopt for numbers, and 0 if the
  // measure is kNone.
  std::optional<int64_t> wrong() const;

 private:
  struct Example {
    std::span<const float> predictions;  // [rows, units], without padding
    std::span<const int32_t> labels;
    std::span<const float> targets;
  };
  struct Judged {
    double loss = 0;
    int64_t wrong = 0, labels = 0;
  };
  Judged Judge(const Example& example) const;
  Judged JudgeClasses(const Example& example) const;
  Judged JudgeAnswers(const Example& example) const;
  Judged JudgeNumbers(const Example& example) const;
  Judged JudgeSequence(const Example& example) const;
  Json Show(const Example& example, const Judged& judged) const;
  void Keep(int64_t position, const Example& example, const Judged& judged);
  Status CutLabels(const dataset::Minibatch& batch);

  const nn::ModelOutput output_;
  const bool cut_;                     // labels are those of several outputs
  const int64_t row_targets_;          // targets of all outputs together
  const std::vector<double> origins_;  // of the targets; empty: none
  const std::vector<std::string> class_names_;
  const dataset::TargetScaler targets_;
  const Measure measure_;
  const size_t most_;
  int64_t wrong_ = 0;
  std::vector<Mistake> worst_;
  // The labels of a minibatch for this output, if labels are those of several outputs.
  std::vector<int32_t> cut_labels_;
  std::vector<float> cut_targets_;
};

}  // namespace dl::inference
