// The engine: a model that trains and predicts. Its state is loaded and stored as one flat
// canonical float32 vector (nn/conf/segments.h). Inside, every tensor has the layout that its
// kernels prefer.
//
// Determinism: the bits of a step's result depend only on the model, the state with its carried
// states, the batch, the context, the kernel contract, and these options: seed, micro_batch,
// precision, kernels, threads (with native kernels only) and passes. They do not depend on
// max_batch, on addresses, or on other networks. Earlier calls affect them only through the state.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/float_buffer.h"
#include "base/segment_table.h"
#include "base/status.h"
#include "nn/conf/kernel_set.h"
#include "nn/conf/model_config.h"
#include "nn/conf/precision.h"
#include "nn/layer_kernels.h"
#include "nn/metrics/metric_sums.h"
#include "nn/pass_switches.h"

namespace dl::nn {

class ActivationHistograms;  // nn/activation_histograms.h
class StepObserver;          // nn/backend/step_observer.h

// The examples of one call. The spans refer to memory of the caller, which must stay valid during
// the call. At most one of `labels` and `targets` is set, as LabelForm requires for the model's
// outputs (nn/conf/model_outputs.h). Predict needs neither.
struct Minibatch {
  int64_t examples = 0;
  // Row-major: [examples, n] for vectors, [examples, C, H, W] for images, [examples, C, D, H, W]
  // for volumes, [examples, steps, n] for sequences. A model with several inputs has [examples, n]:
  // each row holds the values of the first input, then of the second, and so on.
  std::span<const float> features;
  // [rows], each below the number of classes. A row is an example, or one step of an example if the
  // output is a sequence. kNoLabel marks a row that does not count. For sequences of classes (ctc):
  // [examples, n] with any n >= 1, the same for all examples. kNoLabel fills the entries after the
  // last class of an example.
  std::span<const int32_t> labels;
  // [rows, numbers], row-major. If several outputs have labels of their own, a row holds the labels
  // of all these outputs, and a class is stored as a float (nn/conf/model_outputs.h).
  std::span<const float> targets;
  // Number of steps of each example, from 1 to the model's number of steps. Empty unless the
  // model's input has a variable length. Rows after an example's last step must hold finite numbers
  // (or valid indices). These rows, their labels and their targets change no result, except the
  // predictions for these rows.
  std::span<const int32_t> lengths = {};
  // [examples]: factor of each example's losses, for all outputs. Each is finite and at least 0. A
  // mean is still divided by the number of rows that count, as with sample_weight in Keras
  // (nn/losses/loss.h). Empty means that all weights are 1.
  std::span<const float> weights = {};
};

// Position of a step in the job. The counters are coordinates of the random numbers. All are >= 0;
// epoch, worker and step are below 2^31.
struct StepContext {
  int64_t epoch = 0, round = 0, worker = 0, step = 0;
  double learning_rate = 0;
  int64_t update_count = 1;  // updates of the updater's state, this one included: Adam's t
};

struct NetworkOptions {
  int64_t max_batch = 128;           // largest minibatch of a step; 0 means evaluation only
  int64_t max_evaluation_batch = 0;  // for Evaluate and Predict; 0 means max_batch
  // Steps compute a minibatch in micro-batches of at most this many examples and add their
  // gradients before the update. The gradient is still the mean over the minibatch. This needs less
  // memory, but batch normalization uses the statistics of each micro-batch. Influences the bits of
  // results, and the random numbers of dropout. 0 means the whole minibatch at once.
  int64_t micro_batch = 0;
  int threads = 1;  // that share each kernel; influences the bits of native kernels
  Precision precision = Precision::kFloat32;
  // Portable kernels give the same bits with any number of threads and every instruction set. They
  // compute in float32 only.
  KernelSet kernels = KernelSet::kNative;
  // Whether steps keep only some activations, and compute the others again in the backward pass
  // (nn/conf/activation_segments.h). This needs less memory and more time. Changes no bit.
  bool checkpoint_activations = false;
  std::optional<uint64_t> seed;  // of dropout and other noise; nullopt means the model's seed
  // Number of rows of carried state in table(). 0 means max_batch, and smaller values are raised to
  // max_batch. Used only by stateful models in a network that trains.
  int64_t carried_rows = 0;
  PassSwitches passes = {};  // tests switch passes off
};

// Not thread-safe: one caller at a time, from any thread. Each call that computes or copies sets
// the OpenMP thread count and the floating-point mode of the calling thread and restores them
// (nn/backend/compute_scope.h). Different networks can run concurrently.
class Network {
 public:
  // Compiles the steps of a minibatch of max_batch, or of its micro-batches. A network without
  // steps compiles evaluations of max_evaluation_batch instead. Other sizes, and other numbers of
  // rows that count in the loss (nn/counted_rows.h), are compiled at first use; the 16 most
  // recently used are kept. The state is zero until Load. Returns InvalidArgument if an option is
  // out of range. Returns FailedPrecondition if the CPU lacks AVX2, or if this process cannot
  // compute in the precision (CheckPrecision in nn/kernel_contract.h). Also returns it if portable
  // kernels cannot compute in the precision, or lack one of the model's operations. Returns
  // ResourceExhausted or Unavailable if memory is short, and Internal if oneDNN fails. Later calls
  // that compile return these three errors too. The network must not be used after them. `model` is
  // copied.
  static StatusOr<std::unique_ptr<Network>> Create(const ModelConfig& model,
                                                   const NetworkOptions& options);
  ~Network();

  const ModelConfig& model() const;
  // Returns FullTable(model, carried rows). It has no carried rows in a network that only
  // evaluates.
  const SegmentTable& table() const;
  // Current size of the tensors, and of the arena that all batch sizes share. The code of kernels
  // is not included.
  struct Buffers {
    int64_t tensors = 0, arena = 0;  // bytes
    int64_t weight_copies = 0;       // copies of weights in bf16; `tensors` includes them
  };
  Buffers buffers() const;
  // Returns the kernels of the layers that have some, in the order of the forward pass: those of
  // the sizes that were computed last, after Create those that Create compiled.
  std::vector<LayerKernels> Kernels() const;

  // Load copies the canonical vector into the layouts of the kernels, Store copies it back. Load
  // followed by Store gives the same bits, including NaN payloads and subnormals. Both return
  // InvalidArgument if the size is not table().size().
  Status Load(std::span<const float> state);
  // Loads a state that is given in several pieces, each of whole segments. A segment that no piece
  // contains completely becomes zero. Returns InvalidArgument if a piece lies outside of the table.
  Status Load(std::span<const SegmentSpan> state);
  Status Store(std::span<float> state) const;

  // Sets the carried states of stateful layers to zero. Training and inference have separate
  // carried states, and both are zero at first. Load and Store copy the states of training only.
  // Each minibatch continues, row by row, where the previous minibatch of the same purpose ended.
  void BeginStreams();

  // Makes one training step: a forward pass, which also updates running moments and carried states,
  // a backward pass, and the update. nn/conf/model_config.h defines the order of the update.
  // Returns the sums of the last output before the update, without a confusion matrix. The weighted
  // losses of the other outputs, and penalties that layers add to the loss, are added to the loss
  // of these sums. Returns FailedPrecondition in a network that only evaluates. Returns
  // InvalidArgument if the batch does not fit: wrong sizes, a label that is not a class, or a
  // target that the loss does not accept. The state is then unchanged. Also returns InvalidArgument
  // for a feature that is not an index of an embedding. The weights are then unchanged, but running
  // moments and carried states may have changed.
  //
  // Also counts the outputs of layers in `activations`, unless it is null. This changes no bit of
  // the step.
  StatusOr<MetricSums> TrainStep(const Minibatch& batch, const StepContext& context,
                                 ActivationHistograms* activations = nullptr);

  // Reports the parts of later training steps to `observer`, which replaces the observer of an
  // earlier call. Null: later steps are not reported. Changes no bit of a step. REQUIRES:
  // `observer` lives until it is replaced or the last step has ended.
  void Observe(StepObserver* observer);

  // Runs in inference mode: running moments, no dropout. Returns the sums of the last output, with
  // the same additions to the loss as in TrainStep. They have a confusion matrix if the last output
  // predicts one of at most limits::kMaxAnnouncedClasses classes. Returns InvalidArgument if the
  // batch does not fit (as in TrainStep) or is larger than the evaluation batch of the options.
  // EvaluateInto and Predict return these errors too; EvaluateInto then adds nothing. Predict
  // ignores labels and targets, so it reports no mistakes in them.
  StatusOr<MetricSums> Evaluate(const Minibatch& batch);
  // Adds to `sums` what Evaluate returns. `sums` may have a confusion matrix of the last output's
  // number of classes, or none. Returns InvalidArgument for another matrix. If `sums` has numbers
  // or scores, also adds those of the last output. REQUIRES: they fit the last output.
  Status EvaluateInto(const Minibatch& batch, MetricSums& sums);
  // Adds to `all` the sums of the last output and the weighted losses of the other outputs, as
  // TrainStep does. Adds to `by_output[i]` the losses and predicted classes of output i, without
  // the weight of the output, and no numbers or scores. Penalties that layers add to the loss are
  // added to `all` and to the last entry of `by_output`. Returns InvalidArgument too if `by_output`
  // does not have one entry for each output, or if an entry has a confusion matrix of another size.
  // REQUIRES: `all` has no confusion matrix, numbers or scores.
  Status EvaluateInto(const Minibatch& batch, std::span<MetricSums> by_output, MetricSums& all);

  // Returns the predictions of the last output, [rows, units]. The rows after the last step of an
  // example are included. Predictions are the output's values after the loss's link function, for
  // example probabilities for a cross-entropy. Valid until the next call.
  StatusOr<std::span<const float>> Predict(const Minibatch& batch);
  // Return the predictions of the last call of Predict or of an evaluation, [rows, units].
  // REQUIRES: that call succeeded, and no other call that is not const has followed. Valid until
  // the next call that is not const.
  std::span<const float> LastPredictions() const;
  // `output` is the index of the output in the model's order.
  std::span<const float> LastPredictions(size_t output) const;

  // For gradient checks. Returns the same sums as TrainStep and sets `gradient` to the gradient of
  // the mean loss, in training mode, before clipping and normalization and without L1 and L2.
  // `gradient` is canonical: each parameter lies at its segment's offset in table(). Frozen
  // parameters have a gradient of zero. Does not change parameters, moments or carried states.
  // Returns the errors of TrainStep, and InvalidArgument if the size of `gradient` is not
  // table().SizeOf(SegmentKind::kParameter).
  StatusOr<MetricSums> Gradient(const Minibatch& batch, const StepContext& context,
                                std::span<float> gradient);

 private:
  struct State;
  explicit Network(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dl::nn
