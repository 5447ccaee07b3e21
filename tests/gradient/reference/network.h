// The reference of nn/network.h: the same model over the same flat vector, in float64.
#pragma once

#include <deque>
#include <memory>

#include "base/segment_table.h"
#include "nn/conf/model_outputs.h"
#include "tests/gradient/reference/layer.h"
#include "tests/gradient/reference/loss.h"
#include "tests/gradient/reference/updater.h"

namespace dl::reference {

struct Minibatch {
  int64_t examples = 0;
  std::span<const float> features;
  Expected expected;
};

// The coordinates of a step's random numbers.
struct Place {
  int64_t epoch = 0, round = 0, worker = 0, step = 0;
};

class Network {
 public:
  // `carried_rows`: of stateful models, as nn/conf/segments.h has it. Predictions begin with zeros.
  explicit Network(const nn::ModelConfig& model, int64_t carried_rows = 0);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const SegmentTable& table() const { return table_; }
  Values& state() { return state_; }  // by table(); of fixed size
  void Load(std::span<const float> state);

  // The loss of all outputs, each the mean times its weight, in training mode; changes nothing.
  double Loss(const Minibatch& batch, const Place& place);
  // The same, and gradient() is set: each parameter's at its offset in table().
  double Gradient(const Minibatch& batch, const Place& place);
  const Values& gradient() const { return gradient_; }
  // Gradient, update, running moments; the loss before the update.
  double TrainStep(const Minibatch& batch, const Place& place, const Step& step);
  // Of each output [rows, units], in inference mode, behind the loss's own function where it has
  // one.
  std::vector<Values> Predict(const Minibatch& batch);
  // Of the last Loss or Gradient: the smallest of all layers and losses.
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
  // By what a layer has from another one, at its owner's place, to whose gradient it is added.
  struct SharedGradient {
    int64_t offset = 0;
    Values values;
  };
  std::deque<SharedGradient> shared_gradients_;  // which layers have views of
  // One of both; reads values by their index, the first of which are the model's inputs; behind
  // them comes what each node gives.
  struct Node {
    std::unique_ptr<Layer> layer;
    std::unique_ptr<JoiningLayer> join;
    int64_t rows = 1;  // what the layer takes for examples: so many of each
    std::vector<size_t> reads;
  };
  std::vector<Node> nodes_;
  std::vector<size_t> given_;   // by each of the model's layers
  std::vector<Values> values_;  // of the last pass
  struct JudgedOutput {
    nn::ModelOutput model;
    reference::Loss loss;

    int64_t RowsOf(const Minibatch& batch) const { return batch.examples * model.type.Steps(); }
    // Its own part of what an example is compared with.
    ExpectedValues ExpectedOf(const Minibatch& batch) const;
    int64_t numbers = 0;  // of an example's labels where several outputs have their own, else 0
  };
  std::vector<JudgedOutput> outputs_;
  const Values& GivenBy(const JudgedOutput& output) const {
    return values_[given_[output.model.layer]];
  }
  double loss_kink_distance_ = std::numeric_limits<double>::infinity();
};

}  // namespace dl::reference
