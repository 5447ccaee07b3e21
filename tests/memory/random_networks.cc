#include "absl/strings/str_cat.h"
#include "base/philox.h"
#include "nn/conf/sequential.h"
#include "tests/memory/networks.h"

namespace dl::test {
namespace {

using namespace nn;  // NOLINT: most of this file is builders

class Chance {
 public:
  explicit Chance(uint64_t seed) : random_({.seed = seed, .purpose = RandomPurpose::kForTests}) {}
  // Returns a random number from 0 to `n` - 1.
  int64_t Below(int64_t n) {
    return static_cast<int64_t>(random_.Bounded(static_cast<uint64_t>(n)));
  }
  bool OneIn(int64_t n) { return Below(n) == 0; }
  ActivationConf Activation() {
    const ActivationConf all[] = {Identity(), Relu(), Tanh(), Sigmoid(), LeakyRelu(0.1)};
    return all[Below(5)];
  }

 private:
  RandomStream random_;
};

void AddDense(Chance& chance, Sequential& model) {
  model.Layer(Dense(1 + chance.Below(1500)).Activation(chance.Activation()));
  if (chance.OneIn(3)) model.Layer(Dropout(0.5));
  if (chance.OneIn(4)) model.Layer(BatchNorm());
}

// Adds a branch of two layers and joins it with the input of the first one.
void AddBranch(Chance& chance, Sequential& model, int64_t& channels, int64_t number) {
  const std::string from = absl::StrCat("from", number), to = absl::StrCat("to", number);
  model.Layer(ActivationLayer(chance.Activation()).Name(from))
      .Layer(Conv2D(channels).Padding(1).Activation(chance.Activation()))
      .Layer(Conv2D(channels).Padding(1).Name(to));
  if (chance.OneIn(2)) {
    model.Layer(Add().Inputs({to, from}));
  } else {
    model.Layer(Concat().Inputs({from, to}));
    channels *= 2;
  }
}

void AddOfImage(Chance& chance, Sequential& model, int64_t& channels, int64_t number) {
  switch (chance.Below(8)) {
    case 0:
      model.Layer(MaxPool2D(2));
      return;
    case 1:
      model.Layer(BatchNorm());
      return;
    case 2:
      model.Layer(Dropout(0.3));
      return;
    case 4:
      AddBranch(chance, model, channels, number);
      return;
    case 3:
      model.Layer(ActivationLayer(chance.Activation()));
      return;
    default: {
      int64_t groups = 1;
      int64_t filters = chance.OneIn(4) ? 1 + chance.Below(70) : 8 * (1 + chance.Below(16));
      if (chance.OneIn(4) && channels % 2 == 0) {
        groups = chance.OneIn(2) ? 2 : channels;
        filters = channels * (1 + chance.Below(2));
      }
      const int64_t kernel = 1 + chance.Below(5);
      model.Layer(Conv2D(filters)
                      .Kernel(kernel)
                      .Stride(1 + chance.Below(2))
                      .Padding(chance.Below(kernel))
                      .Groups(groups)
                      .Activation(chance.Activation()));
      channels = filters;
    }
  }
}

}  // namespace

std::vector<MemoryCase> RandomNetworks(int count) {
  constexpr int64_t kMostParameters = 20'000'000;
  std::vector<MemoryCase> cases;
  for (uint64_t seed = 1; static_cast<int>(cases.size()) < count; ++seed) {
    Chance chance(seed);
    int64_t channels = chance.OneIn(3) ? 1 + chance.Below(4) : 8 * (1 + chance.Below(12));
    const bool image = !chance.OneIn(4);
    const int64_t height = 4 + chance.Below(40), width = 4 + chance.Below(40);
    Sequential model = Sequential("memory").Seed(1).WeightInit(He()).Input(
        image ? Image(channels, height, width) : FeedForward(1 + chance.Below(3000)));
    if (chance.OneIn(2)) model.Updater(Adam(0.001));
    for (int64_t layers = 1 + chance.Below(5); layers > 0; --layers) {
      if (image) {
        AddOfImage(chance, model, channels, layers);
      } else {
        AddDense(chance, model);
      }
    }
    if (chance.OneIn(2)) model.Layer(Dense(1 + chance.Below(300)).Activation(Relu()));
    auto built = model.Layer(Output(2 + chance.Below(100)).Loss(SoftmaxCrossEntropy())).Build();
    // Skips invalid networks, whose windows are larger than the remaining image, and networks that
    // would take minutes.
    if (!built.ok() || built->ParameterCount() > kMostParameters) continue;
    cases.push_back({.name = absl::StrCat("random ", seed),
                     .model = *std::move(built),
                     .batch = chance.OneIn(3) ? 1 + chance.Below(4) : 1 + chance.Below(100),
                     .threads = static_cast<int>(1 + chance.Below(3))});
  }
  return cases;
}

}  // namespace dl::test
