// Models of the zoo in small sizes, for the bits of portable kernels.
#include "nn/conf/zoo/zoo.h"
#include "tests/golden/kernel_models.h"

namespace dl::test {
namespace {

using nn::zoo::Task;

// The smallest tasks that have all layers of the published network.
Task SmallTaskOf(std::string_view name) {
  constexpr int64_t kClasses = 10;
  if (name == "lenet_a") return {nn::Image(1, 28, 28), kClasses};
  if (name == "unet") return {nn::Image(1, 32, 32), 2};
  if (name == "alexnet") return {nn::Image(3, 224, 224), kClasses};
  if (name == "mlp" || name == "autoencoder" || name == "vae")
    return {nn::FeedForward(784), kClasses};
  if (name == "bert") return {nn::Sequence(24, 1), 500};
  if (name == "gpt" || name == "char_lstm" || name == "word_lstm") return {nn::Sequence(20, 1), 80};
  return {nn::Image(3, 32, 32), kClasses};
}

}  // namespace

std::vector<KernelCase> ZooCases() {
  constexpr int64_t kTrainingSteps = 10;
  std::vector<KernelCase> cases;
  for (const nn::zoo::ZooModel& model : nn::zoo::ZooModels()) {
    const std::string name = "zoo " + std::string(model.name);
    nn::Sequential network = model.make(SmallTaskOf(model.name));
    cases.push_back({.name = name,
                     .shapes = name,
                     .model = Must(network.Seed(11).Updater(nn::Sgd(0.01)).Build()),
                     .batch = model.name == "alexnet" ? 2 : 5,
                     .steps = 1 + kTrainingSteps});
  }
  return cases;
}

}  // namespace dl::test
