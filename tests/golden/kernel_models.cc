#include "tests/golden/kernel_models.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "nn/conf/caches_in_bits.h"
#include "nn/conf/sequential.h"
#include "tests/golden/kernel_network.h"
#include "tests/golden/sequence_models.h"

namespace dl::test {
namespace {

using namespace nn;  // NOLINT: most of this file is builders

ModelConfig Mlp(int64_t inputs, const std::vector<int64_t>& units) {
  Sequential sequential = Start(FeedForward(inputs));
  for (int64_t count : units) sequential.Layer(Dense(count).Activation(Relu()));
  return End(std::move(sequential));
}

// Returns a convolution that follows a trained convolution, so that both of its gradients are
// computed.
ModelConfig Conv(const InputType& input, const Conv2D& conv) {
  Sequential sequential = Start(input);
  sequential.Layer(Conv2D(input.channels).Kernel(1)).Layer(conv);
  return End(std::move(sequential.Layer(AvgPool2D(2))));
}
ModelConfig Conv(const InputType& input, const Conv3D& conv) {
  Sequential sequential = Start(input);
  sequential.Layer(Conv3D(input.channels).Kernel(1)).Layer(conv);
  return End(std::move(sequential.Layer(AvgPool3D(2))));
}

ModelConfig LeNet() {
  return End(Start(Image(1, 28, 28))
                 .Layer(Conv2D(20).Kernel(5).Activation(Tanh()))
                 .Layer(MaxPool2D(2))
                 .Layer(Conv2D(50).Kernel(5).Activation(Tanh()))
                 .Layer(MaxPool2D(2))
                 .Layer(Dense(500).Activation(Tanh())));
}

ModelConfig SmallVgg() {
  return End(Start(Image(3, 32, 32))
                 .Layer(Conv2D(32).Padding(1).NoBias())
                 .Layer(BatchNorm())
                 .Layer(ActivationLayer(Relu()))
                 .Layer(Conv2D(32).Padding(1).Activation(Relu()))
                 .Layer(MaxPool2D(2))
                 .Layer(Dropout(0.25))
                 .Layer(Conv2D(64).Padding(1).Activation(LeakyRelu()))
                 .Layer(AvgPool2D(2))
                 .Layer(Dense(256).Activation(Sigmoid())));
}

// Convolutions of at most four pixels, and a depthwise one of single pixels.
ModelConfig SmallImages() {
  return End(Start(Image(64, 4, 4))
                 .Layer(Conv2D(128).Stride(2).Padding(1))
                 .Layer(Conv2D(128).Kernel(1).Activation(Relu()))
                 .Layer(Conv2D(64).Stride(2).Padding(1))
                 .Layer(Conv2D(64).Groups(64).Padding(1))
                 .Layer(Conv2D(96).Kernel(1).Activation(Tanh())));
}

// Returns more outputs than a chunk of a row sum has values. For triplets: a multiple of three. For
// class sequences: the letters and the blank.
int64_t UnitsUnder(const LossConf& loss) {
  if (JudgesSequences(loss)) return 29;
  return std::holds_alternative<Triplet>(loss) ? 1101 : 1100;
}
ModelConfig WithLoss(const LossConf& loss) {
  Sequential model = JudgesSequences(loss)
                         ? Start(Sequence(40, 16)).Layer(Gru(48))
                         : Start(FeedForward(64)).Layer(Dense(48).Activation(Tanh()));
  return Must(model.Layer(Output(UnitsUnder(loss)).Loss(loss)).Build());
}

// Returns a network in which the activation follows each trained layer: in two layouts with
// padding, and in a flat layout.
ModelConfig WithActivation(const ActivationConf& activation) {
  return Must(Start(Image(3, 9, 9))
                  .Layer(Conv2D(5).Padding(1).Activation(activation))
                  .Layer(Conv2D(6).Activation(activation))
                  .Layer(Dense(37).Activation(activation))
                  .Layer(Output(10).Loss(SoftmaxCrossEntropy()))
                  .Build());
}

// Slopes per channel, per feature, and one for all. The area of an image exceeds a chunk of a sum.
ModelConfig WithSlopes() {
  return End(Start(Image(3, 35, 35))
                 .Layer(Conv2D(5).Padding(1))
                 .Layer(PRelu())
                 .Layer(Conv2D(6).Stride(2))
                 .Layer(PRelu().Shared())
                 .Layer(Dense(37))
                 .Layer(PRelu()));
}

// Shrinks by pooling and grows by repeating pixels, with cropped and padded rows and columns.
ModelConfig Hourglass() {
  return End(Start(Image(16, 19, 20))
                 .Layer(Conv2D(24).SamePadding().Activation(Relu()))
                 .Layer(MaxPool2D(2).SamePadding())
                 .Layer(Conv2D(20).SamePadding().Activation(Tanh()))
                 .Layer(AvgPool2D(3).Stride(2).SamePadding())
                 .Layer(Upsample2D(3, 2))
                 .Layer(Conv2D(12).SamePadding().Activation(Relu()))
                 .Layer(Crop2D({.top = 2, .bottom = 1, .left = 1}))
                 .Layer(ZeroPad2D({.top = 1, .left = 2, .right = 3}))
                 .Layer(Conv2D(8)));
}

ModelConfig Adaptive() {
  return End(Start(Image(3, 19, 20))
                 .Layer(Conv2D(24).SamePadding().Activation(Tanh()))
                 .Layer(AdaptiveMaxPool2D(7, 9))
                 .Layer(Conv2D(16).Padding(1))
                 .Layer(AdaptiveAvgPool2D(3, 2)));
}

ModelConfig WithResponseNorm(const LocalResponseNorm& norm) {
  return End(Start(Image(3, 13, 11))
                 .Layer(Conv2D(24).Padding(1).Activation(Relu()))
                 .Layer(norm)
                 .Layer(Conv2D(9)));
}

ModelConfig Up(const InputType& input, const TransposedConv2D& conv) {
  Sequential sequential = Start(input);
  sequential.Layer(Conv2D(input.channels).Kernel(1)).Layer(conv);
  return End(std::move(sequential.Layer(AvgPool2D(2))));
}

// Every merge of values, in layouts with padding and of features.
ModelConfig Merging() {
  return End(Start(Image(3, 13, 11))
                 .Layer(Conv2D(20).Padding(1).Activation(Relu()).Name("a"))
                 .Layer(Conv2D(20).Padding(1).Activation(Sigmoid()).Name("b"))
                 .Layer(MaxPool2D(3).Stride(1).Padding(1).Name("c"))
                 .Layer(Multiply().Inputs({"a", "b", "c"}).Name("product"))
                 .Layer(Average().Inputs({"product", "c", "a"}).Name("mean"))
                 .Layer(Maximum().Inputs({"b", "mean", "a"}))
                 .Layer(Dense(37).Name("left"))
                 .Layer(Dense(37).Inputs({"mean"}).Name("right"))
                 .Layer(Maximum().Inputs({"left", "right"}).Name("max"))
                 .Layer(Multiply().Inputs({"max", "left"}).Name("gated"))
                 .Layer(Average().Inputs({"gated", "right"})));
}

// From rows to images to sequences. Reshaping cuts through blocks of channels.
ModelConfig Reshaping() {
  return End(Start(FeedForward(120))
                 .Layer(Dense(480))
                 .Layer(Reshape(Image(8, 10, 6)))
                 .Layer(Conv2D(24).Padding(1))
                 .Layer(ScaleShift().Factor(1.7).Shift(-0.3))
                 .Layer(Subset(3, 19))
                 .Layer(Conv2D(20).Padding(1).Activation(Tanh()))
                 .Layer(Reshape(Sequence(20, 60)))
                 .Layer(L2Normalize())
                 .Layer(Gru(33).LastState())
                 .Layer(Repeat(7))
                 .Layer(Lstm(18))
                 .Layer(Subset(5, 15))
                 .Layer(L2Normalize().Epsilon(1e-3))
                 .Layer(Flatten()));
}

ModelConfig Sampling() {
  return End(Start(FeedForward(120))
                 .Layer(Dense(74))
                 .Layer(GaussianSample(0.1))
                 .Layer(Dense(21).Activation(Tanh())));
}

// Volumes whose channels do not fill a block, in every layer that has separate code for volumes.
ModelConfig OfVolumes() {
  return End(Start(Volume(3, 9, 11, 10))
                 .Layer(Conv3D(20).Padding(1).NoBias())
                 .Layer(BatchNorm())
                 .Layer(ActivationLayer(Tanh()))
                 .Layer(MaxPool3D(2).SamePadding())
                 .Layer(Conv3D(36).Kernel(1, 3, 2).Stride(1, 2, 1).Activation(Selu()))
                 .Layer(GroupNorm(3))
                 .Layer(AvgPool3D(2, 1, 2).Stride(1))
                 .Layer(Permute({2, 4, 1, 3}))
                 .Layer(Permute({3, 1, 4, 2}))
                 .Layer(Conv3D(24).Kernel(2).Dilation(2, 1, 2))
                 .Layer(GlobalAvgPool3D()));
}

// Groups of channels that do not align with blocks of channels.
ModelConfig Grouped() {
  return End(Start(Image(3, 14, 13))
                 .Layer(Conv2D(36).Padding(1))
                 .Layer(GroupNorm(3))
                 .Layer(SpatialDropout(0.2))
                 .Layer(Conv2D(20).Padding(1).Activation(Selu()))
                 .Layer(InstanceNorm())
                 .Layer(AlphaDropout(0.1))
                 .Layer(Permute({3, 1, 2}))
                 .Layer(GroupNorm(1))
                 .Layer(Reshape(Sequence(52, 70)))
                 .Layer(Permute({2, 1}))
                 .Layer(GaussianDropout(0.3))
                 .Layer(LastStep()));
}

// Constrained weights in layouts with blocks, groups and padding, and rows that exceed a chunk of a
// sum.
ModelConfig Constrained() {
  return End(Start(Image(3, 14, 13))
                 .WeightConstraint(MaxNorm(0.8))
                 .Layer(Conv2D(32).Padding(1).Activation(Relu()))
                 .Layer(Conv2D(32).Groups(2).Activation(Tanh()).WeightConstraint(UnitNorm()))
                 .Layer(Conv2D(20).Kernel(1))
                 .Layer(Dense(37).Activation(Tanh()))
                 .Layer(Dense(21).WeightConstraint(UnitNorm())));
}

}  // namespace

std::vector<KernelCase> KernelCases() {
  std::vector<KernelCase> cases;
  const auto add = [&](std::string_view name, const ModelConfig& model,
                       std::initializer_list<int64_t> batches) {
    for (int64_t batch : batches) {
      const std::string row = absl::StrCat(std::string(name), " x", batch);
      cases.push_back({row, row, model, batch, 1});
      cases.push_back({row + ", 2 threads", row, model, batch, 2});
    }
  };
  add("mlp 784-500-300", Mlp(784, {500, 300}), {1, 37, 128});
  add("mlp 1024-1024", Mlp(1024, {1024}), {256});
  add("mlp 4096-500", Mlp(4096, {500}), {64});
  add("mlp 9216-64", Mlp(9216, {64}), {42});
  add("lenet", LeNet(), {16, 60});
  add("vgg 32x32", SmallVgg(), {32});
  add("convs 64-128 4x4 to 1x1", SmallImages(), {12});
  add("conv 3x3 64 16x16", Conv(Image(64, 16, 16), Conv2D(64).Padding(1)), {32});
  add("conv 3x3 64 56x56", Conv(Image(64, 56, 56), Conv2D(64).Padding(1)), {2});
  add("conv 3x3 64-128/2 32x32", Conv(Image(64, 32, 32), Conv2D(128).Stride(2).Padding(1)), {8});
  add("conv 3x3 256 8x8", Conv(Image(256, 8, 8), Conv2D(256).Padding(1)), {16});
  add("conv 3x3 512 7x7", Conv(Image(512, 7, 7), Conv2D(512).Padding(1)), {4});
  add("conv 1x1 64-256 56x56", Conv(Image(64, 56, 56), Conv2D(256).Kernel(1)), {2});
  add("conv 1x1 256-64 28x28", Conv(Image(256, 28, 28), Conv2D(64).Kernel(1)), {8});
  add("conv 1x1 512-128/2 14x14", Conv(Image(512, 14, 14), Conv2D(128).Kernel(1).Stride(2)), {8});
  // In these shapes AVX-512's weight gradient depends on the size of the first cache.
  add("conv 1x1 64 36x36", Conv(Image(64, 36, 36), Conv2D(64).Kernel(1)), {2});
  add("conv 1x1 32-64 48x48", Conv(Image(32, 48, 48), Conv2D(64).Kernel(1)), {3});
  add("conv 1x1 16-32/2 80x80", Conv(Image(16, 80, 80), Conv2D(32).Kernel(1).Stride(2)), {2});
  add("conv 7x7 3-64/2 64x64", Conv(Image(3, 64, 64), Conv2D(64).Kernel(7).Stride(2).Padding(3)),
      {8});
  add("conv 5x5 20-50 12x12", Conv(Image(20, 12, 12), Conv2D(50).Kernel(5)), {64});
  add("conv 11x11 3-64/4 115x115", Conv(Image(3, 115, 115), Conv2D(64).Kernel(11).Stride(4)), {4});
  add("depthwise 3x3 64 32x32", Conv(Image(64, 32, 32), Conv2D(64).Groups(64).Padding(1)), {8});
  add("conv of 4 groups 64 16x16", Conv(Image(64, 16, 16), Conv2D(64).Groups(4).Padding(1)), {16});
  add("conv of 2 groups 48-40 28x28", Conv(Image(48, 28, 28), Conv2D(40).Groups(2).Padding(1)),
      {4});
  add("conv of 4 groups 48 28x28", Conv(Image(48, 28, 28), Conv2D(48).Groups(4).Padding(1)), {4});
  add("conv 3x3 96-100 13x13", Conv(Image(96, 13, 13), Conv2D(100).Padding(1)), {8});
  for (const ActivationConf& activation :
       {Gelu(), GeluTanh(), Silu(), Mish(), Elu(), Selu(), Softplus(), Softsign(), HardSigmoid(),
        HardSwish(), Relu6()}) {
    add(absl::StrCat("activation ", std::string(TagOf(activation))), WithActivation(activation),
        {9});
  }
  add("prelu", WithSlopes(), {9});
  add("lstm 40-120, 30 steps", Recurrent(30, 120), {20});
  add("lstm 40-17, 5 steps", Recurrent(5, 17), {3});
  add("rnn 40-90, 30 steps", Recurrent(30, SimpleRnn(90)), {20});
  add("lstm 40-24, 5 steps, stateful", Recurrent(5, Lstm(24).Stateful()), {3});
  add("gru 40-24, 1 step, stateful", Recurrent(1, Gru(24).ResetBefore().Stateful()), {3});
  add("gru 40-100, 30 steps", Recurrent(30, Gru(100)), {20});
  add("gru 40-17, 5 steps, reset before", Recurrent(5, Gru(17).ResetBefore()), {3});
  add("gru 40-70, 20 steps, both ways",
      Recurrent(20, Gru(70).ResetBefore().Bidirectional(StateMerge::kAverage)), {9});
  add("lstm 40-33, 9 steps, both ways", Recurrent(9, Lstm(33).Bidirectional()), {4});
  add("recurrent layers that drop states", DroppingStates(), {6});
  add("transformer 64, 4 heads, 48 steps", Transformer(48, 64, 4), {6});
  add("transformer 30, 3 heads, 7 steps", Transformer(7, 30, 3), {1});
  add("decoder with shared weights", Decoder(), {5});
  add("attention that drops weights 9-24, 14-24", DroppingAttention(), {5});
  add("conv 3x3 64 16x16, dilated by 2",
      Conv(Image(64, 16, 16), Conv2D(64).Dilation(2).SamePadding()), {8});
  add("conv 3x3 20-24 15x15, dilated by 3x2",
      Conv(Image(20, 15, 15), Conv2D(24).Dilation(3, 2).Padding(2)), {5});
  add("depthwise 3x3 32 16x16, dilated by 2",
      Conv(Image(32, 16, 16), Conv2D(32).Groups(32).Dilation(2).SamePadding()), {4});
  add("conv 4x4 32-64/3 23x23, same",
      Conv(Image(32, 23, 23), Conv2D(64).Kernel(4).Stride(3).SamePadding()), {8});
  add("hourglass 16 19x20", Hourglass(), {6});
  add("adaptive pools 24 19x20", Adaptive(), {6});
  add("response norm 5 24 13x11", WithResponseNorm(LocalResponseNorm()), {7});
  add("response norm 3 24 13x11, beta 0.6",
      WithResponseNorm(LocalResponseNorm().Size(3).Alpha(0.3).Beta(0.6).K(1)), {7});
  add("transposed conv 2x2 32-16/2 14x14",
      Up(Image(32, 14, 14), TransposedConv2D(16).Kernel(2).Stride(2)), {8});
  add("transposed conv 4x4 20-24/2 9x9, same",
      Up(Image(20, 9, 9), TransposedConv2D(24).Kernel(4).Stride(2).SamePadding()), {5});
  add("transposed conv 3x3 64 8x8", Up(Image(64, 8, 8), TransposedConv2D(64).Padding(1)), {4});
  add("transposed conv of 2 groups 36-20 28x28",
      Up(Image(36, 28, 28), TransposedConv2D(20).Groups(2).Padding(1)), {4});
  add("product, mean and maximum 20 13x11", Merging(), {7});
  add("reshaped, cut and repeated 120", Reshaping(), {6});
  add("groups 3-36 14x13, permuted", Grouped(), {5});
  add("samples 120-37", Sampling(), {6});
  add("over 23 steps 11-36-20", OverSteps(), {5});
  add("over 5 to 23 real steps 11-36-20", OverRealSteps(), {6});
  add("encoder 30-50, 3 heads, 10 to 40 real steps", Encoder(), {8});
  add("norms of outputs 32-20 14x13", Constrained(), {5});
  add("volumes 3-20-36 9x11x10", OfVolumes(), {5});
  add("conv 3x3x3 1-8 8x16x16", Conv(Volume(1, 8, 16, 16), Conv3D(8).SamePadding()), {20});
  add("conv 3x3x3 16-32 8x14x14", Conv(Volume(16, 8, 14, 14), Conv3D(32).Padding(1)), {4});
  add("conv 3x3x3 32/2 12x12x12, same",
      Conv(Volume(32, 12, 12, 12), Conv3D(32).Stride(2).SamePadding()), {4});
  add("conv 7x7x7 3-64/2 16x20x20",
      Conv(Volume(3, 16, 20, 20), Conv3D(64).Kernel(7).Stride(2).Padding(3)), {2});
  add("depthwise 3x3x3 32 6x8x8", Conv(Volume(32, 6, 8, 8), Conv3D(32).Groups(32).Padding(1)), {4});
  add("conv 3x3x3 of 2 groups 48-40 5x9x9",
      Conv(Volume(48, 5, 9, 9), Conv3D(40).Groups(2).Padding(1)), {3});
  const size_t others = cases.size();
  for (const LossType& type : LossTypes()) {
    for (const LossConf& loss : type.samples()) {
      Json written = ToJson(loss);
      // Keeps the names that rows had before class weights existed.
      if (written.is_object() && written.value("class_weights", Json()).empty())
        written.erase("class_weights");
      const std::string name = written.is_string() ? written.get<std::string>() : written.dump();
      add(absl::StrCat("loss ", name, " ", UnitsUnder(loss)), WithLoss(loss), {9});
    }
  }
  for (size_t i = others; i < cases.size(); ++i) cases[i].with_sums = true;
  return cases;
}

nn::CachesInBits KernelCase::Caches(nn::Precision precision) const {
  return nn::CachesInBitsOf(model, threads, precision);
}

}  // namespace dl::test
