// The engine: a model that trains and predicts. One flat canonical float32 vector
// (nn/conf/segments.h) goes in and comes out; inside, every tensor lies as the kernels like it.
//
// Determinism: what a step computes depends on (config, state, batch, context, seed, threads,
// kernel contract) only; not on what the network did before, on its batch size limit, on addresses,
// or on other networks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/float_buffer.h"
#include "base/segment_table.h"
#include "base/status.h"
#include "nn/conf/model_config.h"
#include "nn/metrics/metric_sums.h"

namespace dl::nn {

// Views of a minibatch; one of labels and targets is set, as LabelForm says of the model's outputs
// (nn/conf/model_outputs.h), or none for Predict.
struct Minibatch {
  int64_t examples = 0;
  // [examples, C, H, W], [examples, n] or [examples, steps, n], row-major; of several inputs
  // [examples, n], an example's values of one behind those of the one before.
  std::span<const float> features;
  // A row is an example, or a step of one where the outputs are a sequence.
  // [rows], each below the number of classes; kNoLabel: of a row that does not count.
  std::span<const int32_t> labels;
  std::span<const float> targets;  // [rows, numbers], row-major
  // Steps of each example, from 1 to the model's: where its input has a variable length, else
  // empty. Rows behind an example's last step hold finite numbers (indices that are some), which
  // change nothing; neither do their labels and targets.
  std::span<const int32_t> lengths = {};
  // [examples], finite and at least 0: factors of each example's losses, of all outputs. Means stay
  // over the number of rows that count, as with sample_weight in Keras (nn/losses/loss.h). Empty:
  // each is 1.
  std::span<const float> weights = {};
};

// Where a step stands. The counters are coordinates of random numbers; all are >= 0, epoch, worker
// and step below 2^31.
struct StepContext {
  int64_t epoch = 0, round = 0, worker = 0, step = 0;
  double learning_rate = 0;
  int64_t update_count = 1;  // 1-based: Adam's t
};

struct NetworkOptions {
  int64_t max_batch = 128;           // larger ones are refused; 0: it only evaluates
  int64_t max_evaluation_batch = 0;  // of Evaluate and Predict; 0: as max_batch
  // Steps go through a minibatch in parts of at most so many examples, whose gradients are added
  // before the update: the same mean in less memory, but that batch normalization sees each part by
  // itself. Part of the bits. 0: whole.
  int64_t micro_batch = 0;
  int threads = 1;               // of each kernel; part of the bits
  std::optional<uint64_t> seed;  // of dropout; the model's when absent
  // Of a stateful model the rows whose states table() has, of a network that trains: at least
  // max_batch, which it is when 0.
  int64_t carried_rows = 0;
};

// Not thread-safe: one caller at a time. Any thread may call; the OpenMP thread count and the
// floating-point mode of the calling thread are set for each call and put back. Different networks
// may run side by side.
class Network {
 public:
  // Compiles for steps of max_batch; other batch sizes and evaluations, which keep nothing for a
  // backward pass, are compiled when they first come. InvalidArgument for options out of range. The
  // state is zero until Load.
  static StatusOr<std::unique_ptr<Network>> Create(const ModelConfig& model,
                                                   const NetworkOptions& options);
  ~Network();

  const ModelConfig& model() const;
  // FullTable(model, carried rows): none in a network that only evaluates.
  const SegmentTable& table() const;
  // Of its tensors and of the arena that all batch sizes share, as they are now. Code of kernels is
  // not in it.
  struct Buffers {
    int64_t tensors = 0, arena = 0;  // bytes
  };
  Buffers buffers() const;

  // Canonical vector to kernels' layouts and back. Load then Store gives the same bits, NaN
  // payloads and subnormals too. InvalidArgument when the size is not table().size().
  Status Load(std::span<const float> state);
  // The same of a vector that is there in stretches of whole segments; what lies in none of them
  // becomes zero. InvalidArgument when one does not lie in the table.
  Status Load(std::span<const Stretch> state);
  Status Store(std::span<float> state) const;

  // What stateful layers carry is zero from here on, in training and in what evaluates, which also
  // begin so; Load sets that of training. Each minibatch goes on, row by row, where the one before
  // of its kind ended.
  void BeginStreams();

  // Forward, backward, clipping, L2, update, weight decay; running moments. The sums (no confusion
  // matrix) are of the outputs before the update: of the last one, with the weighted losses of the
  // others added to its own. InvalidArgument for a batch that does not fit:
  // wrong sizes, a label that is no class, a target that the loss does not take; the state is then
  // unchanged.
  StatusOr<MetricSums> TrainStep(const Minibatch& batch, const StepContext& context);

  // Inference mode (running moments, no dropout), with a confusion matrix for classifiers of at
  // most limits::kMaxAnnouncedClasses.
  StatusOr<MetricSums> Evaluate(const Minibatch& batch);
  // Adds to `sums` instead, which may have a confusion matrix (of the right size) or none.
  Status EvaluateInto(const Minibatch& batch, MetricSums& sums);
  // The same, and adds to `by_output` what is said of each output by itself, whose losses are not
  // weighted; what layers add to losses is with the last one's. `all` has no confusion matrix.
  Status EvaluateInto(const Minibatch& batch, std::span<MetricSums> by_output, MetricSums& all);

  // Predictions of the last output, [rows, units], those of padding among them: what it gives,
  // behind the loss's own function where it has one (probabilities for cross-entropies). Valid
  // until the next call.
  StatusOr<std::span<const float>> Predict(const Minibatch& batch);
  // Those of the last call of an evaluation or of Predict, which went well; until the next call.
  std::span<const float> LastPredictions() const;
  std::span<const float> LastPredictions(size_t output) const;  // in the model's order

  // For gradient checks: loss and gradient of the minibatch's mean loss (training mode; before
  // clipping, without L2) for each parameter, canonical, at its segment's offset in table();
  // zero for frozen parameters.
  // Changes neither parameters nor moments nor what is carried. InvalidArgument when the size is
  // not table().SizeOf(SegmentKind::kParameter).
  StatusOr<MetricSums> Gradient(const Minibatch& batch, const StepContext& context,
                                std::span<float> gradient);

 private:
  struct State;
  explicit Network(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dl::nn
