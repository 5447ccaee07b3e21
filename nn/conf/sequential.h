// The builder of a model. By default each layer reads the layer before it. A layer can instead name
// inputs of the model and layers before it (Inputs). The layers thus form an acyclic graph. Each
// input, and each layer that is no output of the model, must be read by a later layer:
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
  // `name` must have 1 to limits::kMaxName letters, digits, _, - and dots. All ranges below are
  // checked by Build().
  explicit Sequential(std::string name);

  // Sets the seed of all random numbers of the model. Default 0. A job with a seed of its own
  // replaces it.
  Sequential& Seed(uint64_t seed);
  // Sets how gradients change weights (nn/conf/updaters). Default Sgd(0.01).
  Sequential& Updater(UpdaterConf updater);
  // Set defaults for layers that do not state their own: initial weights (default Xavier), the
  // factors of L1, L2 and decoupled weight decay (0 to limits::kMaxCoefficient, default 0), and a
  // constraint on the norm of weights. nn/conf/model_config.h has the formulas.
  Sequential& WeightInit(WeightInitConf init);
  Sequential& L1(double value);
  Sequential& L2(double value);
  Sequential& WeightDecay(double value);
  Sequential& WeightConstraint(WeightConstraintConf constraint);
  // Set how gradients are limited before the update. NormalizeGradients: by the norm of each layer
  // or tensor; default none. ClipGradientsByValue: each value to [-limit, limit].
  // ClipGradientsByNorm: the norm of the whole gradient. A limit of 0, the default, switches
  // clipping off.
  Sequential& NormalizeGradients(GradientNormalization normalization);
  Sequential& ClipGradientsByValue(double limit);
  Sequential& ClipGradientsByNorm(double limit);
  // Sets the only input of the model. It has no name of its own; layers that name it call it
  // "input". Replaces the input of an earlier call of this function, for example the input of a
  // model of the zoo.
  Sequential& Input(InputType input);
  // Adds one of several inputs. Layers read it by its name. The data has one array of values per
  // example, which the inputs divide among them in their order.
  Sequential& Input(std::string name, InputType input);
  // Adds a layer after the layers before.
  Sequential& Layer(LayerConf layer);

  // Functions that change layers added before, for example of a model of the zoo. A layer is
  // identified by its name, or by the name that Build() gives it ("conv1"). Build() reports names
  // that no layer has.
  //
  // Replaces a layer by another. The new layer gets the old name, and the old inputs if it has
  // none.
  Sequential& Replace(const std::string& name, LayerConf layer);
  // Removes the layer and all layers after it. Other layers may be added then.
  Sequential& RemoveFrom(const std::string& name);
  // Freezes the layer and all layers before it in the list. Corresponds to the key `freeze_up_to`
  // of a document. Build() reports a mistake if nothing is left to train.
  Sequential& FreezeUpTo(const std::string& name);

  // Stand for an input or layer that could not be read and that the caller reports. Other checks
  // continue.
  Sequential& UnreadableInput();
  Sequential& UnreadableLayer();

  // Checks everything, infers shapes, inserts adapters and names unnamed layers. InvalidArgument
  // lists the mistakes, one per line, each with a remedy and the name of the layer, the input or
  // the model. Whether all layers are read, and the outputs and their labels, are checked only if
  // there are no other mistakes. Layers are not checked if there are too many.
  StatusOr<ModelConfig> Build() const;
  // Does the same, but adds the mistakes to `mistakes`. Returns nullopt if it adds any, or if the
  // input or a layer could not be read.
  std::optional<ModelConfig> Build(Mistakes& mistakes) const;

 private:
  ModelConfig model_;  // without layers
  enum class InputState : uint8_t { kMissing, kStated, kUnreadable };
  InputState input_ = InputState::kMissing;
  std::vector<std::optional<LayerConf>>::iterator FindLayer(const std::string& name);

  std::vector<std::optional<LayerConf>> layers_;
  std::vector<std::string> unknown_names_;  // in Replace, RemoveFrom and FreezeUpTo
  std::string frozen_up_to_;                // last argument of FreezeUpTo()
};

}  // namespace dl::nn
