// Forward and backward passes of the network of network.cc.
#include <algorithm>

#include "nn/conf/layer_config.h"
#include "tests/gradient/reference/reference_network.h"

namespace dl::reference {

void Network::Load(std::span<const float> state) {
  std::copy(state.begin(), state.end(), state_.begin());
}

void Network::Forward(const Minibatch& batch, const Pass& pass) {
  values_ = InputsOf(batch);
  for (const Node& node : nodes_) {
    std::vector<const Values*> x;
    for (const size_t read : node.reads) x.push_back(&values_[read]);
    Pass of_node = pass;
    of_node.examples *= node.rows;
    values_.push_back(node.layer != nullptr ? node.layer->Forward(*x.front(), of_node)
                                            : node.join->Forward(x, of_node));
  }
}

void Network::Backward(const Minibatch& batch) {
  std::vector<Values> by_values(values_.size());
  for (size_t i = 0; i < by_values.size(); ++i) by_values[i].resize(values_[i].size(), 0.0);
  for (const OutputLoss& output : outputs_) {
    const ExpectedValues expected = output.ExpectedOf(batch);
    const Values dy = output.loss.Gradient(GivenBy(output), output.RowsOf(batch), expected.View());
    Values& sum = by_values[given_[output.model.layer]];  // several losses may read it
    for (size_t j = 0; j < sum.size(); ++j) sum[j] += output.model.conf.loss_weight * dy[j];
  }
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

// Each input has its part of every example's row.
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

ExpectedValues Network::OutputLoss::ExpectedOf(const Minibatch& batch) const {
  ExpectedValues expected;
  const auto& [labels, targets, weights] = batch.expected;
  expected.weights.assign(weights.begin(), weights.end());
  if (model.conf.compared_with == nn::ComparedWith::kInput) {
    expected.targets.assign(batch.features.begin(), batch.features.end());
  } else if (model.label_count == 0) {
    return expected;  // depends on the outputs only
  } else if (numbers == 0) {
    expected.labels.assign(labels.begin(), labels.end());
    expected.targets.assign(targets.begin(), targets.end());
  } else {
    const auto rows = static_cast<int64_t>(targets.size()) / numbers;
    for (int64_t r = 0; r < rows; ++r) {
      const auto own = targets.subspan(r * numbers + model.first_label, model.label_count);
      if (PredictsClasses(model.conf.loss)) {
        expected.labels.push_back(static_cast<int32_t>(own.front()));
      } else {
        expected.targets.insert(expected.targets.end(), own.begin(), own.end());
      }
    }
  }
  return expected;
}

double Network::LossOf(const Minibatch& batch) {
  loss_kink_distance_ = std::numeric_limits<double>::infinity();
  double loss = 0;
  for (const OutputLoss& output : outputs_) {
    const ExpectedValues expected = output.ExpectedOf(batch);
    const Values& y = GivenBy(output);
    const int64_t rows = output.RowsOf(batch);
    loss_kink_distance_ =
        std::min(loss_kink_distance_, output.loss.KinkDistance(y, rows, expected.View()));
    loss += output.model.conf.loss_weight * output.loss.Of(y, rows, expected.View());
  }
  for (const Node& node : nodes_) {
    if (node.layer != nullptr) loss += node.layer->Penalty();
  }
  return loss;
}

double Network::Loss(const Minibatch& batch, const Place& place) {
  const Pass pass{Mode::kTraining, batch.examples, model_.seed, place.epoch,
                  place.round,     place.worker,   place.step};
  Forward(batch, pass);
  return LossOf(batch);
}

double Network::Gradient(const Minibatch& batch, const Place& place) {
  const Pass pass{Mode::kTraining, batch.examples, model_.seed, place.epoch,
                  place.round,     place.worker,   place.step};
  Forward(batch, pass);
  Backward(batch);
  return LossOf(batch);
}

double Network::TrainStep(const Minibatch& batch, const Place& place, const Step& step) {
  const double loss = Gradient(batch, place);
  ApplyUpdate(model_, table_, step, gradient_, state_);
  for (const Node& node : nodes_) {
    if (node.layer != nullptr) node.layer->FinishStep();
  }
  return loss;
}

std::vector<Values> Network::Predict(const Minibatch& batch) {
  Forward(batch, {.mode = Mode::kInference, .examples = batch.examples});
  std::vector<Values> predictions;
  for (const OutputLoss& output : outputs_)
    predictions.push_back(output.loss.Predictions(GivenBy(output), output.RowsOf(batch)));
  return predictions;
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
