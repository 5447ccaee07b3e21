#include "inference/predict.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/float_buffer.h"
#include "dataset/target_normalizer.h"
#include "inference/checkpoint_model.h"
#include "nn/conf/model_outputs.h"
#include "nn/metrics/best_path.h"

namespace dl::inference {
namespace {

// Collects rows in stored form, normalizes them, and predicts batch by batch.
class Batches {
 public:
  static StatusOr<Batches> Create(const dataset::Schema& schema, int64_t batch_size,
                                  std::span<const int32_t> lengths, nn::Network& network,
                                  const PredictOptions& options) {
    DL_ASSIGN_OR_RETURN(FloatBuffer features,
                        FloatBuffer::Create(batch_size * schema.FeatureSize()));
    return Batches(schema, std::move(features), lengths, network, options);
  }

  Status Add(std::span<const std::byte> rows) {
    const auto row_bytes = static_cast<size_t>(schema_.FeatureBytes());
    for (; !rows.empty(); rows = rows.subspan(row_bytes)) {
      const std::span<float> out = features_.span().subspan(examples_ * width_, width_);
      if (schema_.feature_type() == dataset::FeatureType::kU8) {
        scaler_.Apply(std::span(reinterpret_cast<const uint8_t*>(rows.data()), width_), out);
      } else {
        std::memcpy(row_.data(), rows.data(), row_bytes);
        scaler_.Apply(std::span<const float>(row_), out);
      }
      ++examples_;
      if ((examples_ + 1) * width_ > features_.span().size()) DL_RETURN_IF_ERROR(Predict());
    }
    return absl::OkStatus();
  }

  Status Predict() {
    if (examples_ == 0) return absl::OkStatus();
    const auto examples = static_cast<int64_t>(examples_);
    network_.BeginStreams();  // examples are independent, also in a stateful model
    nn::Minibatch batch{.examples = examples,
                        .features = features_.span().first(examples_ * width_)};
    if (!lengths_.empty()) batch.lengths = lengths_.subspan(first_, examples_);
    DL_RETURN_IF_ERROR(network_.Predict(batch).status());
    for (size_t i = 0; i < predictions_.size(); ++i) predictions_[i] = InDataUnit(i);
    DL_RETURN_IF_ERROR(
        options_.visit({.first = first_, .examples = examples, .outputs = predictions_}));
    first_ += examples;
    examples_ = 0;
    return absl::OkStatus();
  }

 private:
  Batches(const dataset::Schema& schema, FloatBuffer features, std::span<const int32_t> lengths,
          nn::Network& network, const PredictOptions& options)
      : schema_(schema),
        width_(static_cast<size_t>(schema.FeatureSize())),
        scaler_(schema, *options.normalizer),
        features_(std::move(features)),
        lengths_(lengths),
        row_(width_),
        network_(network),
        outputs_(OutputsOf(network.model())),
        targets_(options.target_normalizer == nullptr ? dataset::Normalizer()
                                                      : *options.target_normalizer),
        restored_(outputs_.size()),
        predictions_(outputs_.size()),
        options_(options) {}

  // Returns the predictions of an output. Predicted numbers are converted from the normalized scale
  // back to the unit of the data.
  std::span<const float> InDataUnit(size_t output) {
    const std::span<const float> predictions = network_.LastPredictions(output);
    const nn::ModelOutput& shown = outputs_[output];
    const bool predicts_numbers = shown.label_count == shown.conf.units && !shown.HasClasses();
    if (targets_.IsIdentity() || !predicts_numbers) return predictions;
    restored_[output].assign(predictions.begin(), predictions.end());
    targets_.Restore(shown.first_label, shown.label_count, restored_[output]);
    return restored_[output];
  }

  const dataset::Schema& schema_;
  const size_t width_;
  const dataset::FeatureScaler scaler_;
  FloatBuffer features_;                    // of one full batch
  const std::span<const int32_t> lengths_;  // of all examples, if lengths vary; else empty
  std::vector<float> row_;
  nn::Network& network_;
  const std::vector<nn::ModelOutput> outputs_;
  const dataset::TargetScaler targets_;
  std::vector<std::vector<float>> restored_;         // per output; used if the target scaler is not
                                                     // the identity
  std::vector<std::span<const float>> predictions_;  // per output
  const PredictOptions& options_;
  int64_t first_ = 0;    // first example of the batch
  size_t examples_ = 0;  // number of examples in the batch
};

}  // namespace

std::vector<int32_t> MostProbablePath(std::span<const float> steps, int64_t units) {
  return nn::BestPath(steps, units);
}

Status PredictWith(nn::Network& network, int64_t batch_size, const dataset::ExampleTable& table,
                   const PredictOptions& options) {
  DL_ASSIGN_OR_RETURN(Batches batches,
                      Batches::Create(table.schema, batch_size, table.lengths, network, options));
  DL_RETURN_IF_ERROR(dataset::VisitFeatures(
      table, [&](std::span<const std::byte> rows) { return batches.Add(rows); }));
  return batches.Predict();
}

StatusOr<std::string> PredictExamples(const LoadedCheckpoint& checkpoint,
                                      const dataset::ExampleTable& table,
                                      const PredictOptions& options) {
  const int64_t batch_size = std::min(checkpoint.spec.training.evaluation.batch_size,
                                      std::max<int64_t>(1, table.examples));
  DL_ASSIGN_OR_RETURN(const CheckpointModel model,
                      CompileCheckpoint(checkpoint, options.contract, batch_size));
  DL_RETURN_IF_ERROR(PredictWith(*model.network, batch_size, table, options));
  return model.kernel_contract;
}

}  // namespace dl::inference
