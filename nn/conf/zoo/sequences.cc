// Language models: networks that say of each token what comes behind it.
#include "absl/strings/str_cat.h"
#include "nn/conf/zoo/zoo.h"

namespace dl::nn::zoo {
namespace {

// Weights start as PyTorch's do, forget gates half open: with ours it learns less in as many epochs
// (docs/learning.md).
Sequential StackedLstm(const char* name, const Task& task) {
  constexpr int64_t kUnits = 200;
  return Sequential(name)
      .ClipGradientsByNorm(5)
      .WeightInit(PyTorch())
      .Input(task.input)
      .Layer(Embedding(task.classes, kUnits).WeightInit(Normal(1)))
      .Layer(Lstm(kUnits).ForgetBias(0).Stateful())
      .Layer(Lstm(kUnits).ForgetBias(0).Stateful())
      .Layer(Output(task.classes).Loss(SoftmaxCrossEntropy()));
}

// Each half of a block reads the sum of all halves before it, and adds to it.
struct Blocks {
  Sequential& model;
  std::string sum;  // the layer that gives it
  int halves = 0;

  void Add(const std::string& branch) {
    const std::string next = absl::StrCat("sum", ++halves);
    model.Layer(nn::Add().Inputs({sum, branch}).Name(next));
    sum = next;
  }
};

}  // namespace

Sequential CharLstm(const Task& task) { return StackedLstm("char_lstm", task); }
Sequential WordLstm(const Task& task) { return StackedLstm("word_lstm", task); }

Sequential Gpt(const Task& task) {
  constexpr int64_t kWidth = 256, kHeads = 4;
  constexpr int kBlocks = 4;
  Sequential model = Sequential("gpt")
                         .WeightInit(Normal(0.02))
                         .ClipGradientsByNorm(1)
                         .Input(task.input)
                         .Layer(Embedding(task.classes, kWidth))
                         .Layer(PositionalEmbedding().Name("positions"));
  Blocks blocks{.model = model, .sum = "positions"};
  for (int i = 1; i <= kBlocks; ++i) {
    const std::string attention = absl::StrCat("attention", i), down = absl::StrCat("down", i);
    model.Layer(LayerNorm().Inputs({blocks.sum}))
        .Layer(SelfAttention(kHeads).Causal().Name(attention));
    blocks.Add(attention);
    model.Layer(LayerNorm().Inputs({blocks.sum}))
        .Layer(Dense(4 * kWidth).Activation(Gelu()).Name(absl::StrCat("up", i)))
        .Layer(Dense(kWidth).Name(down));
    blocks.Add(down);
  }
  return model.Layer(LayerNorm().Inputs({blocks.sum}))
      .Layer(Output(task.classes).NoBias().Loss(SoftmaxCrossEntropy()));
}

Sequential Bert(const Task& task) {
  constexpr int64_t kWidth = 256, kHeads = 4;
  constexpr int kBlocks = 4;
  Sequential model = Sequential("bert")
                         .WeightInit(Normal(0.02))
                         .ClipGradientsByNorm(1)
                         .Input(task.input)
                         .Layer(Embedding(task.classes, kWidth))
                         .Layer(PositionalEmbedding().Name("positions"))
                         .Layer(LayerNorm().Name("norm0"));
  std::string last = "norm0";
  // Each half of a block is normalized behind the sum, and read by the next one.
  const auto end_half = [&](const std::string& branch, std::string name) {
    model.Layer(nn::Add().Inputs({last, branch})).Layer(LayerNorm().Name(name));
    last = std::move(name);
  };
  for (int i = 1; i <= kBlocks; ++i) {
    const std::string attention = absl::StrCat("attention", i), down = absl::StrCat("down", i);
    model.Layer(SelfAttention(kHeads).Name(attention));
    end_half(attention, absl::StrCat("norm", 2 * i - 1));
    model.Layer(Dense(4 * kWidth).Activation(Gelu()).Name(absl::StrCat("up", i)))
        .Layer(Dense(kWidth).Name(down));
    end_half(down, absl::StrCat("norm", 2 * i));
  }
  return model.Layer(Dense(kWidth).Activation(Gelu()).Name("transform"))
      .Layer(LayerNorm())
      .Layer(Output(task.classes).Loss(SoftmaxCrossEntropy()));
}

}  // namespace dl::nn::zoo
