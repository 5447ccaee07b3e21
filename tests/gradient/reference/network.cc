#include "tests/gradient/reference/network.h"

#include <algorithm>

#include "base/overloaded.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"
#include "tests/gradient/reference/activation.h"
#include "tests/gradient/reference/batch_norm.h"
#include "tests/gradient/reference/convolution.h"
#include "tests/gradient/reference/dense.h"
#include "tests/gradient/reference/dropout.h"
#include "tests/gradient/reference/pooling.h"

namespace dl::reference {
Network::Network(const nn::ModelConfig& model)
    : model_(model),
      table_(nn::FullTable(model)),
      state_(table_.size()),
      gradient_(table_.SizeOf(SegmentKind::kParameter)),
      loss_(model.output().loss) {
  for (size_t i = 0; i < model_.layers.size(); ++i) Append(i);
}

Tensor Network::TensorOf(const nn::LayerConfig& layer, const std::string& name) {
  const Segment* segment = table_.Find(layer.name + "." + name);
  if (segment == nullptr) return {};
  Tensor tensor{.value = std::span(state_).subspan(segment->offset, segment->size)};
  if (segment->kind == SegmentKind::kParameter) {
    tensor.gradient = std::span(gradient_).subspan(segment->offset, segment->size);
  }
  return tensor;
}

// No default branch: a layer type without a reference does not compile.
void Network::Append(size_t index) {
  const nn::LayerConfig& layer = model_.layers[index];
  const auto weight = [&] { return TensorOf(layer, "weight"); };
  const auto bias = [&] { return TensorOf(layer, "bias"); };
  const auto add = [&](auto made) { layers_.push_back(std::move(made)); };
  const auto pool = [&](Pooling::Kind kind, const nn::Window& window) {
    add(std::make_unique<Pooling>(kind, Pooling::Shape{window, layer.input, layer.output}));
  };
  const auto activate = [&](const nn::ActivationConf& conf) {
    add(std::make_unique<Activation>(conf));
  };
  std::visit(
      Overloaded{
          [&](const nn::Dense& conf) {
            add(std::make_unique<Dense>(weight(), bias(), conf.units));
            activate(conf.activation);
          },
          [&](const nn::Output& conf) {
            add(std::make_unique<Dense>(weight(), bias(), conf.units));
            activate(conf.activation);
          },
          [&](const nn::Conv2D& conf) {
            add(std::make_unique<Convolution>(weight(), bias(),
                                              Convolution::Shape{conf, layer.input, layer.output}));
            activate(conf.activation);
          },
          [&](const nn::MaxPool2D& conf) { pool(Pooling::Kind::kMax, conf.window); },
          [&](const nn::AvgPool2D& conf) { pool(Pooling::Kind::kAverage, conf.window); },
          [&](const nn::ActivationLayer& conf) { activate(conf.activation); },
          [&](const nn::Dropout& conf) { add(std::make_unique<Dropout>(conf.probability, index)); },
          [&](const nn::BatchNorm& conf) {
            const BatchNorm::Tensors tensors{TensorOf(layer, "gamma"), TensorOf(layer, "beta"),
                                             TensorOf(layer, "mean"), TensorOf(layer, "variance")};
            add(std::make_unique<BatchNorm>(tensors, conf, layer.input));
          },
          [](const nn::Flatten&) {},  // values lie in CHW order already
      },
      layer.conf);
}

void Network::Load(std::span<const float> state) {
  std::copy(state.begin(), state.end(), state_.begin());
}

Values Network::Forward(const Minibatch& batch, const Pass& pass) {
  Values x(batch.features.begin(), batch.features.end());
  for (const auto& layer : layers_) x = layer->Forward(x, pass);
  return x;
}

double Network::LossOf(const Values& y, const Minibatch& batch) {
  loss_kink_distance_ = loss_.KinkDistance(y, batch.examples, batch.expected);
  return loss_.Of(y, batch.examples, batch.expected);
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
  Values gradient = loss_.Gradient(y, batch.examples, batch.expected);
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    gradient = (*layer)->Backward(gradient);
  }
  return LossOf(y, batch);
}

double Network::TrainStep(const Minibatch& batch, const Place& place, const Step& step) {
  const double loss = Gradient(batch, place);
  ApplyUpdate(model_, table_, step, gradient_, state_);
  for (const auto& layer : layers_) layer->FinishStep();
  return loss;
}

Values Network::Predict(const Minibatch& batch) {
  const Values y = Forward(batch, {.mode = Mode::kInference, .examples = batch.examples});
  return loss_.Predictions(y, batch.examples);
}

double Network::KinkDistance() const {
  double distance = loss_kink_distance_;
  for (const auto& layer : layers_) distance = std::min(distance, layer->KinkDistance());
  return distance;
}

}  // namespace dl::reference
