// What a network of network.cc computes.
#include <algorithm>

#include "nn/conf/layer_config.h"
#include "tests/gradient/reference/network.h"

namespace dl::reference {

void Network::Load(std::span<const float> state) {
  std::copy(state.begin(), state.end(), state_.begin());
}

Values Network::Forward(const Minibatch& batch, const Pass& pass) {
  values_ = InputsOf(batch);
  for (const Node& node : nodes_) {
    std::vector<const Values*> x;
    for (const size_t read : node.reads) x.push_back(&values_[read]);
    Pass of_node = pass;
    of_node.examples *= node.rows;
    values_.push_back(node.layer != nullptr ? node.layer->Forward(*x.front(), of_node)
                                            : node.join->Forward(x, of_node.examples));
  }
  return values_[given_.back()];
}

void Network::Backward(Values gradient) {
  std::vector<Values> by_values(values_.size());
  for (size_t i = 0; i < by_values.size(); ++i) by_values[i].resize(values_[i].size(), 0.0);
  by_values[given_.back()] = std::move(gradient);
  for (size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    const Values& dy = by_values[model_.inputs.size() + i];
    const std::vector<Values> dx = node.layer != nullptr
                                       ? std::vector<Values>{node.layer->Backward(dy)}
                                       : node.join->Backward(dy);
    for (size_t k = 0; k < dx.size(); ++k) {
      Values& sum = by_values[node.reads[k]];
      for (size_t j = 0; j < sum.size(); ++j) sum[j] += dx[k][j];
    }
  }
  for (const SharedGradient& shared : shared_gradients_) {
    for (size_t j = 0; j < shared.values.size(); ++j)
      gradient_[shared.offset + j] += shared.values[j];
  }
}

// Each has its part of every example's row.
std::vector<Values> Network::InputsOf(const Minibatch& batch) const {
  std::vector<Values> inputs(model_.inputs.size());
  for (auto next = batch.features.begin(); next != batch.features.end();) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto end = next + model_.inputs[i].type.Elements();
      inputs[i].insert(inputs[i].end(), next, end);
      next = end;
    }
  }
  return inputs;
}

int64_t Network::RowsOf(const Minibatch& batch) const {
  return batch.examples * model_.layers.back().output.Steps();
}

Expected Network::ExpectedOf(const Minibatch& batch) const {
  if (model_.output().compared_with == nn::ComparedWith::kLabels) return batch.expected;
  return {.labels = {}, .targets = batch.features};
}

double Network::LossOf(const Values& y, const Minibatch& batch) {
  loss_kink_distance_ = loss_.KinkDistance(y, RowsOf(batch), ExpectedOf(batch));
  double loss = loss_.Of(y, RowsOf(batch), ExpectedOf(batch));
  for (const Node& node : nodes_) {
    if (node.layer != nullptr) loss += node.layer->Penalty();
  }
  return loss;
}

double Network::Loss(const Minibatch& batch, const Place& place) {
  const Pass pass{Mode::kTraining, batch.examples, model_.seed, place.epoch,
                  place.round,     place.worker,   place.step};
  return LossOf(Forward(batch, pass), batch);
}

double Network::Gradient(const Minibatch& batch, const Place& place) {
  const Pass pass{Mode::kTraining, batch.examples, model_.seed, place.epoch,
                  place.round,     place.worker,   place.step};
  const Values y = Forward(batch, pass);
  Backward(loss_.Gradient(y, RowsOf(batch), ExpectedOf(batch)));
  return LossOf(y, batch);
}

double Network::TrainStep(const Minibatch& batch, const Place& place, const Step& step) {
  const double loss = Gradient(batch, place);
  ApplyUpdate(model_, table_, step, gradient_, state_);
  for (const Node& node : nodes_) {
    if (node.layer != nullptr) node.layer->FinishStep();
  }
  return loss;
}

Values Network::Predict(const Minibatch& batch) {
  const Values y = Forward(batch, {.mode = Mode::kInference, .examples = batch.examples});
  return loss_.Predictions(y, RowsOf(batch));
}

double Network::KinkDistance() const {
  double distance = loss_kink_distance_;
  for (const Node& node : nodes_) {
    distance = std::min(
        distance, node.layer != nullptr ? node.layer->KinkDistance() : node.join->KinkDistance());
  }
  return distance;
}

}  // namespace dl::reference
