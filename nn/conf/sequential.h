// The fluent builder of a network: layers in a row, each of which reads the one before it, or those
// before it that it names (Inputs), so that every graph without circles can be written:
//
//   auto model = nn::Sequential("lenet5").Seed(42).Updater(nn::Nesterov(0.02).Momentum(0.9))
//       .Input(nn::Image(1, 28, 28))
//       .Layer(nn::Conv2D(20).Kernel(5).Activation(nn::Tanh())).Layer(nn::MaxPool2D(2))
//       .Layer(nn::Output(10).Loss(nn::SoftmaxCrossEntropy()))
//       .Build();
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "nn/conf/layer_config.h"

namespace dl::nn {

class Sequential {
 public:
  explicit Sequential(std::string name);

  Sequential& Seed(uint64_t seed);
  Sequential& Updater(UpdaterConf updater);
  Sequential& WeightInit(WeightInitConf init);
  Sequential& L1(double value);
  Sequential& L2(double value);
  Sequential& WeightDecay(double value);
  Sequential& WeightConstraint(WeightConstraintConf constraint);
  Sequential& NormalizeGradients(GradientNormalization normalization);
  Sequential& ClipGradientsByValue(double limit);
  Sequential& ClipGradientsByNorm(double limit);
  Sequential& Input(InputType input);
  // One of several, by the name that layers call it: each cuts the next values off the example's,
  // which the data has as one array.
  Sequential& Input(std::string name, InputType input);
  Sequential& Layer(LayerConf layer);

  // Changes of what is there already, as of a model of the zoo. A layer is known by its name, or by
  // the name that Build() gives it ("conv1"). Build() reports a name that no layer has.
  //
  // Puts a layer in the place of another one, with its name, and its inputs where `layer` has none.
  Sequential& Replace(const std::string& name, LayerConf layer);
  // Removes the layer and all layers after it: another end may follow.
  Sequential& RemoveFrom(const std::string& name);
  // Freezes the layer and all layers before it, in their order. Build() reports a model of which
  // nothing is left to train. The key `freeze_up_to` of a document.
  Sequential& FreezeUpTo(const std::string& name);

  // Places whose input or layer could not be read, which somebody else reports: the other checks go
  // on.
  Sequential& UnreadableInput();
  Sequential& UnreadableLayer();

  // Checks everything, infers shapes, inserts adapters, names unnamed layers. An error is one
  // InvalidArgument that lists every mistake, a line each, with the layer's name and a remedy.
  StatusOr<ModelConfig> Build() const;
  // The same, with the mistakes added to `mistakes`; nullopt when there are any.
  std::optional<ModelConfig> Build(Mistakes& mistakes) const;

 private:
  ModelConfig model_;  // without its layers
  enum class InputState : uint8_t { kMissing, kStated, kUnreadable };
  InputState input_ = InputState::kMissing;
  std::vector<std::optional<LayerConf>>::iterator FindLayer(const std::string& name);

  std::vector<std::optional<LayerConf>> layers_;
  std::vector<std::string> unknown_names_;  // of changes
  std::string frozen_up_to_;                // the name that FreezeUpTo() was last given
};

}  // namespace dl::nn
