#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "nn/conf/sequential.h"
#include "tests/memory/networks.h"

namespace dl::test {
namespace {

using namespace nn;  // NOLINT: most of this file is builders

ModelConfig Must(const Sequential& sequential) {
  auto model = sequential.Build();
  DL_CHECK(model.ok());
  return *std::move(model);
}

Sequential Start(const InputType& input) {
  return Sequential("memory").Seed(1).WeightInit(He()).Input(input);
}

ModelConfig End(Sequential model, int64_t classes = 10) {
  return Must(model.Layer(Output(classes).Loss(SoftmaxCrossEntropy())));
}

}  // namespace

std::vector<MemoryCase> LargeNetworks() {
  const auto vgg = [](bool normalized) {
    Sequential model = Start(Image(3, 64, 64)).Updater(Nesterov(0.01));
    for (const int64_t filters : {32, 64, 128}) {
      for (int i = 0; i < 2; ++i) {
        model.Layer(Conv2D(filters).Padding(1).Activation(normalized ? Identity() : Relu()));
        if (normalized) model.Layer(BatchNorm()).Layer(ActivationLayer(Relu()));
      }
      model.Layer(MaxPool2D(2));
    }
    return End(std::move(model.Layer(Dense(512).Activation(Relu())).Layer(Dropout(0.5))));
  };
  const auto resnet = [] {
    Sequential model = Start(Image(3, 64, 64)).Updater(Nesterov(0.01));
    model.Layer(Conv2D(32).Padding(1).NoBias()).Layer(BatchNorm());
    for (int block = 0; block < 8; ++block) {
      const std::string from = absl::StrCat("from", block), to = absl::StrCat("to", block);
      model.Layer(ActivationLayer(Relu()).Name(from))
          .Layer(Conv2D(32).Padding(1).NoBias())
          .Layer(BatchNorm())
          .Layer(ActivationLayer(Relu()))
          .Layer(Conv2D(32).Padding(1).NoBias())
          .Layer(BatchNorm().Name(to))
          .Layer(Add().Inputs({to, from}));
    }
    return End(std::move(model.Layer(ActivationLayer(Relu())).Layer(GlobalAvgPool2D())));
  };
  const auto recurrent = [] {
    return End(Start(Sequence(50, 1))
                   .Updater(Adam(0.001))
                   .Layer(Embedding(500, 200))
                   .Layer(Lstm(200))
                   .Layer(Lstm(200)),
               500);
  };
  const auto transformer = [] {
    Sequential model = Start(Sequence(128, 1)).Updater(Adam(0.001));
    model.Layer(Embedding(80, 128)).Layer(PositionalEmbedding().Name("sum0"));
    for (int block = 0; block < 3; ++block) {
      const std::string from = absl::StrCat("sum", 2 * block),
                        next = absl::StrCat("sum", 2 * block + 1);
      const std::string attention = absl::StrCat("attention", block),
                        mlp = absl::StrCat("mlp", block);
      model.Layer(LayerNorm().Inputs({from}))
          .Layer(SelfAttention(4).Causal().Name(attention))
          .Layer(Add().Inputs({from, attention}).Name(next))
          .Layer(LayerNorm())
          .Layer(Dense(512).Activation(Tanh()))
          .Layer(Dense(128).Name(mlp))
          .Layer(Add().Inputs({next, mlp}).Name(absl::StrCat("sum", 2 * block + 2)));
    }
    return End(std::move(model.Layer(LayerNorm())), 80);
  };
  // Two branches with shared weights. The first attends to the second.
  const auto decoder = [] {
    return End(Sequential("decoder")
                   .Seed(1)
                   .Updater(Adam(0.001))
                   .Input("asks", Sequence(40, 96))
                   .Input("answers", Sequence(90, 96))
                   .Layer(Dense(96).Activation(Tanh()).Inputs({"asks"}).Name("asked"))
                   .Layer(Dense(96).Inputs({"answers"}).WeightsOf("asked").Name("memory"))
                   .Layer(CrossAttention(4).Inputs({"asked", "memory"}))
                   .Layer(CrossAttention(4).Inputs({"attention1", "memory"})),
               80);
  };
  // Outputs that stay in memory until all layers have run.
  const auto tasks = [] {
    return Start(FeedForward(1024))
        .Updater(Adam(0.001))
        .Layer(Dense(700).Activation(Tanh()).Name("code"))
        .Layer(Output(6000).Loss(SoftmaxCrossEntropy()).LossWeight(0.3).Name("early"))
        .Layer(Output(1024).Loss(MeanSquaredError()).ComparedWithInput().Inputs({"code"}))
        .Layer(Dense(500).Activation(Relu()).Inputs({"code"}))
        .Layer(Output(6000).Loss(SoftmaxCrossEntropy()).LabelsOf("early"))
        .Build()
        .value();
  };
  // Mostly weights of attentions, after dropout too, and masks.
  const auto dropping_weights = [] {
    return End(Sequential("attention")
                   .Seed(1)
                   .Updater(Adam(0.001))
                   .Input("asks", Sequence(128, 16))
                   .Input("answers", Sequence(128, 16))
                   .Layer(SelfAttention(8).DropWeights(0.2).Inputs({"asks"}))
                   .Layer(SelfAttention(8).DropWeights(0.2))
                   .Layer(SelfAttention(8).DropWeights(0.2).Name("asked"))
                   .Layer(CrossAttention(8).DropWeights(0.3).Inputs({"asked", "answers"}))
                   .Layer(CrossAttention(8).DropWeights(0.3).Inputs({"attention3", "answers"}))
                   .Layer(CrossAttention(8).DropWeights(0.1).Inputs({"attention4", "answers"})),
               80);
  };
  const auto gated = [](const Gru& gru) {
    return End(Start(Sequence(40, 64))
                   .Updater(Adam(0.001))
                   .Layer(SimpleRnn(96).Bidirectional(StateMerge::kAverage))
                   .Layer(RmsNorm())
                   .Layer(gru)
                   .Layer(Gru(gru.units).LastState().Bidirectional()));
  };
  // Several layers that each keep the masked states of all steps.
  const auto dropping = [] {
    return End(Start(Sequence(60, 64))
                   .Updater(Adam(0.001))
                   .Layer(SimpleRnn(160).RecurrentDropout(0.3))
                   .Layer(SimpleRnn(160).RecurrentDropout(0.3).Bidirectional())
                   .Layer(Lstm(96).RecurrentDropout(0.3))
                   .Layer(SimpleRnn(160).RecurrentDropout(0.3)));
  };
  const auto sloped = [] {
    Sequential model = Start(Image(3, 48, 48)).Updater(Adam(0.001));
    for (const int64_t filters : {24, 40}) model.Layer(Conv2D(filters).Padding(1)).Layer(PRelu());
    return End(std::move(model.Layer(MaxPool2D(2)).Layer(Dense(256)).Layer(PRelu().Shared())));
  };
  // Merges that need either a copy of the plain image in the layout of the convolution, or the
  // index of the input that each value came from.
  const auto merging = [] {
    Sequential model = Start(Image(3, 32, 32)).Updater(Adam(0.001));
    model.Layer(Conv2D(32).Kernel(1).Name("value0"))
        .Layer(Upsample2D(1).Inputs({"value0"}).Name("plain"));
    for (int i = 0; i < 16; ++i) {
      const std::vector<std::string> inputs = {absl::StrCat("value", i), "plain"};
      LayerConf merge = i % 2 == 0 ? LayerConf(Multiply()) : LayerConf(Maximum());
      SetInputs(merge, inputs);
      SetName(merge, absl::StrCat("value", i + 1));
      model.Layer(std::move(merge));
    }
    return End(
        std::move(model.Layer(Average().Inputs({"value16", "plain"})).Layer(GlobalAvgPool2D())));
  };
  const auto reshaped = [] {
    return End(Start(FeedForward(2048))
                   .Updater(Adam(0.001))
                   .Layer(Dense(3072).Activation(Tanh()))
                   .Layer(Reshape(Image(12, 16, 16)))
                   .Layer(Conv2D(40).Padding(1).Activation(Relu()))
                   .Layer(ScaleShift().Factor(0.5).Shift(0.1))
                   .Layer(Subset(3, 34))
                   .Layer(Reshape(Sequence(64, 128)))
                   .Layer(L2Normalize())
                   .Layer(Dense(100).Activation(Tanh()))
                   .Layer(LastStep())
                   .Layer(Repeat(100))
                   .Layer(L2Normalize())
                   .Layer(Subset(0, 70))
                   .Layer(ScaleShift().Factor(2))
                   .Layer(Flatten()));
  };
  const auto over_steps = [] {
    return End(Start(Sequence(200, 40))
                   .Updater(Adam(0.001))
                   .Layer(Conv1D(100).Kernel(5).SamePadding().Activation(Relu()))
                   .Layer(MaxPool1D(2))
                   .Layer(Conv1D(130).Kernel(3).Dilation(4).Causal().Activation(Tanh()).Name("c"))
                   .Layer(AvgPool1D(3).Stride(1).Padding(1))
                   .Layer(GlobalAvgPool1D().Name("mean"))
                   .Layer(GlobalMaxPool1D().Inputs({"c"}).Name("largest"))
                   .Layer(Concat().Inputs({"mean", "largest"})));
  };
  // Copies whose padding is 0, and rows in the order of steps.
  const auto lengths_that_differ = [] {
    Sequential model = Start(VariableSequence(120, 48)).Updater(Adam(0.001));
    model.Layer(Conv1D(96).Kernel(5).SamePadding());
    for (int i = 0; i < 8; ++i) model.Layer(BatchNorm());
    return End(model.Layer(ActivationLayer(Relu()).Name("a"))
                   .Layer(MaxPool1D(3).Stride(1).Padding(1).Name("largest"))
                   .Layer(AvgPool1D(4).Stride(1).SamePadding().Inputs({"a"}).Name("mean"))
                   .Layer(Concat().Inputs({"largest", "mean"}))
                   .Layer(Lstm(96).Bidirectional())
                   .Layer(SelfAttention(4).DropWeights(0.2))
                   .Layer(GlobalAvgPool1D()));
  };
  const auto sampled = [] {
    return Start(FeedForward(2048))
        .Updater(Adam(0.001))
        .Layer(Dense(6000))
        .Layer(GaussianSample(0.1))
        .Layer(Dense(1500).Activation(Tanh()))
        .Layer(Output(2048).Loss(MeanSquaredError()).ComparedWithInput())
        .Build()
        .value();
  };
  const auto grouped = [] {
    return End(Start(Image(3, 40, 40))
                   .Updater(Adam(0.001))
                   .Layer(Conv2D(40).Padding(1))
                   .Layer(GroupNorm(5))
                   .Layer(SpatialDropout(0.2))
                   .Layer(Conv2D(36).Padding(1).Activation(Relu()))
                   .Layer(InstanceNorm())
                   .Layer(AlphaDropout(0.1))
                   .Layer(Permute({3, 1, 2}))
                   .Layer(GroupNorm(1))
                   .Layer(Reshape(Sequence(160, 360)))
                   .Layer(Permute({2, 1}))
                   .Layer(GaussianDropout(0.3))
                   .Layer(LastStep()));
  };
  const auto unet_like = [] {
    return End(Start(Image(3, 48, 48))
                   .Updater(Adam(0.001))
                   .Layer(Conv2D(24).SamePadding().Activation(Relu()).Name("wide"))
                   .Layer(MaxPool2D(2).SamePadding())
                   .Layer(Conv2D(40).Dilation(2).SamePadding().Activation(Relu()))
                   .Layer(LocalResponseNorm())
                   .Layer(TransposedConv2D(32).Kernel(3).Stride(2).SamePadding())
                   .Layer(Upsample2D(2))
                   .Layer(MaxPool2D(2))
                   .Layer(Conv2D(24).Kernel(2).SamePadding().Name("up"))
                   .Layer(Concat().Inputs({"wide", "up"}))
                   .Layer(ZeroPad2D(3))
                   .Layer(Conv2D(24).Dilation(3, 4).Activation(Relu()))
                   .Layer(Crop2D(2))
                   .Layer(AdaptiveMaxPool2D(16))
                   .Layer(AdaptiveAvgPool2D(3)));
  };
  const auto stacked = [] {
    Sequential model = Start(FeedForward(512)).Updater(Adam(0.001));
    model.Layer(Dense(256).Name("first")).Layer(Dense(256).Name("second"));
    model.Layer(Stack().Inputs({"first", "second", "first", "second"})).Layer(SelfAttention(4));
    return End(std::move(model.Layer(LastStep())));
  };
  const auto of_volumes = [](bool normalized) {
    Sequential model = Start(Volume(2, 20, 28, 24)).Updater(Adam(0.001));
    for (const int64_t filters : {16, 32, 64}) {
      model.Layer(Conv3D(filters).Padding(1));
      if (normalized) model.Layer(BatchNorm());
      model.Layer(ActivationLayer(Relu())).Layer(Conv3D(filters).Kernel(1, 3, 3).SamePadding());
      if (normalized) model.Layer(GroupNorm(4));
      model.Layer(ActivationLayer(Sigmoid())).Layer(MaxPool3D(2));
    }
    return End(std::move(model.Layer(Dense(200).Activation(Relu()))));
  };
  return {{.name = "volumes 20x28x24, Adam", .model = of_volumes(false), .batch = 8},
          {.name = "volumes 20x28x24, normalized, Adam", .model = of_volumes(true), .batch = 8},
          {.name = "convolutions and learned slopes, Adam", .model = sloped(), .batch = 32},
          {.name = "lstm 200-200, Adam", .model = recurrent(), .batch = 32},
          {.name = "gru both ways, Adam", .model = gated(Gru(128).Bidirectional()), .batch = 32},
          {.name = "gru reset before, Adam", .model = gated(Gru(120).ResetBefore()), .batch = 32},
          {.name = "recurrent layers that drop states, Adam", .model = dropping(), .batch = 32},
          {.name = "products and maxima, Adam", .model = merging(), .batch = 32},
          {.name = "other shapes of the same values, Adam", .model = reshaped(), .batch = 64},
          {.name = "convolutions over steps, Adam", .model = over_steps(), .batch = 64},
          {.name = "attention that drops weights, Adam", .model = dropping_weights(), .batch = 16},
          {.name = "lengths that differ, Adam", .model = lengths_that_differ(), .batch = 32},
          {.name = "samples that become the input again, Adam", .model = sampled(), .batch = 256},
          {.name = "groups and kinds of dropout, Adam", .model = grouped(), .batch = 32},
          {.name = "down and up again, Adam", .model = unet_like(), .batch = 32},
          {.name = "transformer, Adam", .model = transformer(), .batch = 16},
          {.name = "stacked rows, Adam", .model = stacked(), .batch = 256},
          {.name = "decoder, Adam", .model = decoder(), .batch = 16},
          {.name = "several outputs, Adam", .model = tasks(), .batch = 256},
          {.name = "mlp 2048-4096-2048, Adam",
           .model = End(Start(FeedForward(2048))
                            .Updater(Adam(0.001))
                            .Layer(Dense(4096).Activation(Relu()))
                            .Layer(Dense(2048).Activation(Relu()))),
           .batch = 128},
          {.name = "mlp of gelu, LAMB",  // copies weights and gradients, and the inputs of gelu
           .model = End(Start(FeedForward(1024))
                            .Updater(Lamb(0.001))
                            .Layer(Dense(2048).Activation(Gelu()))
                            .Layer(Dense(1024).Activation(Silu()))),
           .batch = 256},
          {.name = "convolutions of mish, AMSGrad",
           .model = End(Start(Image(3, 48, 48))
                            .Updater(AmsGrad(0.001))
                            .NormalizeGradients(RenormalizePerLayer())
                            .Layer(Conv2D(32).Padding(1).Activation(Mish()))
                            .Layer(Conv2D(40).Padding(1).Activation(HardSwish()))
                            .Layer(Conv2D(24).Stride(2).Activation(HardSigmoid()))),
           .batch = 32},
          {.name = "vgg 64x64", .model = vgg(false), .batch = 32},
          {.name = "vgg 64x64, normalized", .model = vgg(true), .batch = 32},
          {.name = "residual 64x64", .model = resnet(), .batch = 32}};
}

}  // namespace dl::test
