// Language models: networks that predict the next token, or masked tokens.
#include "absl/strings/str_cat.h"
#include "nn/conf/zoo/zoo.h"

namespace dl::nn::zoo {
namespace {

// Uses PyTorch's weight initialization and a forget bias of 0. With our defaults the network learns
// less in the same number of epochs (docs/learning.md).
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

// Each half of a block reads the sum of all earlier halves and adds its output to that sum.
struct Blocks {
  Sequential& model;
  std::string sum;  // name of the layer that computes the sum
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
  // Each half of a block is normalized after its sum. The next half reads the normalized sum.
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
