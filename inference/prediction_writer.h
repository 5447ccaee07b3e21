// Writes the predictions of a model as lines, together with the labels of the examples.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/schema.h"
#include "inference/predict.h"
#include "inference/prediction_lines.h"
#include "nn/conf/model_config.h"
#include "nn/conf/model_outputs.h"

namespace dl::inference {

struct PredictionFormOptions {
  PredictionForm::Kind kind = PredictionForm::Kind::kCsv;
  bool has_labels = false;  // the examples have the labels of the model
  bool has_files = false;   // see PredictionForm
  int64_t top_k = 1;
};

// Returns the form of the predictions of a model that was trained on data with this schema. Leaves
// out outputs that have another number of predictions for an example than the last output.
PredictionForm FormOfPredictions(const nn::ModelConfig& model, const dataset::Schema& schema,
                                 const PredictionFormOptions& options);

// Not thread-safe.
class PredictionWriter {
 public:
  // Number of labels of the last output, and how many of them it predicted. A label is a class, or
  // the whole sequence of classes of an example. Both are 0 if the output predicts numbers.
  struct CorrectCount {
    int64_t rows = 0, correct = 0;
  };
  // All but the model must outlive the writer.
  struct Options {
    const nn::ModelConfig& model;
    const PredictionForm& form;  // of FormOfPredictions
    const dataset::ExampleTable& table;
    const std::vector<std::string>& files;  // path of each example, if the form has files
  };
  // Returns InvalidArgument for a label that is not a class.
  static StatusOr<PredictionWriter> Create(const Options& options);

  // Passes the lines of a batch to the sink, without PredictionHeader, and counts them in
  // correct(). Steps after the end of a sequence have no line. Returns the errors of the sink.
  // REQUIRES: the batch has predictions for options.table.
  Status Write(const PredictedBatch& batch, ByteSink sink);
  const CorrectCount& correct() const { return correct_; }

 private:
  explicit PredictionWriter(const Options& options);

  Prediction PredictionOf(const PredictedBatch& batch, int64_t row, int64_t steps) const;
  void Count(const PredictedOutput& form, const Prediction::Answer& answer);
  std::span<const double> OriginsOf(const nn::ModelOutput& output) const;
  int64_t StepsOf(const nn::ModelOutput& output, int64_t example) const;
  Prediction::Answer Transcribe(const nn::ModelOutput& output, int64_t example,
                                std::span<const float> values) const;
  void Label(size_t shown, int64_t row, Prediction::Answer& answer) const;

  std::vector<nn::ModelOutput> outputs_;
  std::vector<size_t> shown_;
  const PredictionForm* form_;
  const dataset::ExampleTable* table_;
  const std::vector<std::string>* files_;
  std::vector<std::vector<int32_t>> classes_;  // for the shown outputs, if labels are numbers
  CorrectCount correct_;
};

}  // namespace dl::inference
