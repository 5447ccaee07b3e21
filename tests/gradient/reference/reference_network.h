// Reference of nn/network.h: the same model over the same flat vector, in float64.
#pragma once

#include <deque>
#include <memory>

#include "base/segment_table.h"
#include "nn/conf/model_outputs.h"
#include "tests/gradient/reference/reference_layer.h"
#include "tests/gradient/reference/reference_loss.h"
#include "tests/gradient/reference/reference_updater.h"

namespace dl::reference {

struct Minibatch {
  int64_t examples = 0;
  std::span<const float> features;
  Expected expected;
};

// Coordinates of a step's random numbers.
struct Place {
  int64_t epoch = 0, round = 0, worker = 0, step = 0;
};

class Network {
 public:
  // `carried_rows`: rows of carried state of stateful models (nn/conf/segments.h). Predictions
  // begin with zeros.
  explicit Network(const nn::ModelConfig& model, int64_t carried_rows = 0);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const SegmentTable& table() const { return table_; }
  Values& state() { return state_; }  // laid out by table(); its size never changes
  void Load(std::span<const float> state);

  // Returns the loss in training mode: the sum over all outputs of mean times weight. Changes
  // nothing.
  double Loss(const Minibatch& batch, const Place& place);
  // Like Loss, and sets gradient(): each parameter's gradient is at its offset in table().
  double Gradient(const Minibatch& batch, const Place& place);
  const Values& gradient() const { return gradient_; }
  // Computes the gradient, applies the update, updates running moments. Returns the loss before the
  // update.
  double TrainStep(const Minibatch& batch, const Place& place, const Step& step);
  // Returns [rows, units] for each output in inference mode, after the loss's own function if it
  // has one.
  std::vector<Values> Predict(const Minibatch& batch);
  // Returns the smallest kink distance of all layers and losses in the last Loss or Gradient.
  double KinkDistance() const;

 private:
  void Append(size_t index);
  Tensor TensorOf(const nn::LayerConfig& layer, const std::string& name);
  void Forward(const Minibatch& batch, const Pass& pass);
  void Backward(const Minibatch& batch);
  std::vector<Values> InputsOf(const Minibatch& batch) const;
  double LossOf(const Minibatch& batch);

  nn::ModelConfig model_;
  SegmentTable table_;
  Values state_, gradient_;
  // Gradient of a tensor that is owned by another layer. It is added to the owner's gradient at
  // `offset`.
  struct SharedGradient {
    int64_t offset = 0;
    Values values;
  };
  std::deque<SharedGradient> shared_gradients_;  // layers hold views of them
  // Holds either a layer or a join. Reads values by index: first the model's inputs, then the
  // results of the nodes in order.
  struct Node {
    std::unique_ptr<Layer> layer;
    std::unique_ptr<JoiningLayer> join;
    int64_t rows = 1;  // number of rows per example that the layer treats as examples
    std::vector<size_t> reads;
  };
  std::vector<Node> nodes_;
  std::vector<size_t> given_;   // index of the value that each of the model's layers gives
  std::vector<Values> values_;  // of the last pass
  struct OutputLoss {
    nn::ModelOutput model;
    reference::Loss loss;

    int64_t RowsOf(const Minibatch& batch) const { return batch.examples * model.type.Steps(); }
    // Returns this output's part of what the examples are compared with.
    ExpectedValues ExpectedOf(const Minibatch& batch) const;
    int64_t numbers = 0;  // labels per example if several outputs have their own, else 0
  };
  std::vector<OutputLoss> outputs_;
  const Values& GivenBy(const OutputLoss& output) const {
    return values_[given_[output.model.layer]];
  }
  double loss_kink_distance_ = std::numeric_limits<double>::infinity();
};

}  // namespace dl::reference
