#include "nn/conf/layer_memory.h"

#include <algorithm>
#include <cmath>

namespace dl::nn {
namespace {

double RoundUp(double value, double multiple) { return std::ceil(value / multiple) * multiple; }
double Area(const InputType& type) { return static_cast<double>(type.Pixels()); }
template <AnExtent Extent>
double Taps(const WindowOf<Extent>& window) {
  double taps = 1;
  for (const auto axis : Extent::kAxes) taps *= static_cast<double>(window.kernel.*axis);
  return taps;
}

// Returns the size of the weights of a dense layer in the layout of its kernels.
double InnerProductWeights(int64_t inputs, int64_t outputs) {
  const auto out = static_cast<double>(outputs);
  // AVX-512's inner products process up to four vectors of outputs at once.
  const double block = out >= 4 * kVectorFloats   ? 4 * kVectorFloats
                       : out >= 2 * kVectorFloats ? 2 * kVectorFloats
                                                  : kVectorFloats;
  return RoundUp(static_cast<double>(inputs), kVectorFloats) * RoundUp(out, block);
}

// Returns the size of the weights of a convolution or transposed convolution.
template <typename Conv>
double ConvolutionWeights(const LayerConfig& layer, const Conv& conv) {
  const auto in = static_cast<double>(layer.input.channels);
  const auto out = static_cast<double>(layer.output.channels);
  const auto groups = static_cast<double>(conv.groups);
  if (conv.groups == layer.input.channels)  // blocks of groups
    return RoundUp(groups, kVectorFloats) * (out / groups) * Taps(conv.window);
  return groups * RoundUp(in / groups, kVectorFloats) * RoundUp(out / groups, kVectorFloats) *
         Taps(conv.window);
}

// Counts the memory by kind of layer. `in` and `out` are values of the minibatch. No default
// branch: a layer that is not counted would let the master assume that every executor has enough
// memory.
struct LayerCount {
  const LayerConfig& layer;
  double in, out, threads;

  LayerMemory operator()(const Dense&) const { return InnerProduct(); }
  LayerMemory operator()(const Output& conf) const {
    LayerMemory memory = InnerProduct();
    memory.own = OfLoss(conf.loss);
    return memory;
  }
  LayerMemory operator()(const LossLayer& conf) const {  // at most a copy
    return {.own = OfLoss(conf.loss)};
  }
  LayerMemory operator()(const Conv2D& conv) const { return Convolved(conv); }
  LayerMemory operator()(const Conv3D& conv) const { return Convolved(conv); }
  // Counted as images, with the copies that convert sequences to images and back, forward and
  // backward.
  LayerMemory operator()(const Conv1D& conv) const {
    LayerMemory memory = OverSteps(conv.StepsInFront(), conv.As2D());
    if (layer.input.variable_length) {  // a copy with zeros for padding, and one of its gradient
      memory.kept += in;
      memory.passing += 2 * in;
    }
    memory.product = false;
    return memory;
  }
  LayerMemory operator()(const MaxPool1D& pool) const { return OverSteps(0, pool.As2D()); }
  LayerMemory operator()(const AvgPool1D& pool) const { return OverSteps(0, pool.As2D()); }
  LayerMemory operator()(const GlobalAvgPool1D&) const { return {.passing = in}; }
  LayerMemory operator()(const GlobalMaxPool1D&) const { return {.kept = in, .passing = in}; }
  LayerMemory operator()(const BatchNorm&) const {
    const double tensors = 4 * RoundUp(static_cast<double>(layer.input.channels), kVectorFloats);
    if (!layer.input.variable_length) return {.tensors = tensors};
    // A copy in the plain layout, moments and sums in double, and a copy of the gradient.
    return {.kept = in + tensors, .passing = in + out, .tensors = tensors};
  }
  LayerMemory operator()(const LayerNorm&) const {
    // Mean and deviation of each row, and sums for gamma and beta in double.
    return {.kept = 2 * out / std::max(1.0, static_cast<double>(layer.input.channels)) +
                    2 * kVectorFloats,
            .passing = 4 * Bias(),
            .tensors = 2 * Bias()};
  }
  LayerMemory operator()(const GroupNorm& conf) const { return Groups(conf.groups); }
  LayerMemory operator()(const InstanceNorm&) const { return Groups(layer.input.channels); }
  // Includes copies in the plain layout.
  LayerMemory operator()(const PRelu&) const {
    return {.kept = in, .passing = out + 2 * Bias(), .tensors = Bias()};
  }
  LayerMemory operator()(const RmsNorm&) const {
    return {.kept = out / std::max(1.0, static_cast<double>(layer.input.channels)) + kVectorFloats,
            .passing = 2 * Bias(),
            .tensors = Bias()};
  }
  LayerMemory operator()(const Embedding& conf) const {
    // The record of touched rows has a mark and a list entry for each row.
    constexpr double kTouched = 1.25;
    return {.tensors =
                static_cast<double>(conf.indices) * (static_cast<double>(conf.units) + kTouched) +
                kVectorFloats};
  }
  LayerMemory operator()(const PositionalEmbedding&) const {
    return {.tensors = static_cast<double>(layer.input.Elements()) + kVectorFloats};
  }
  LayerMemory operator()(const SimpleRnn& conf) const {
    return Recurrent(conf, {.units = conf.units, .gates = 1, .copies = 2});
  }
  // The product with the state is kept if the reset gate is applied after it.
  LayerMemory operator()(const Gru& conf) const {
    const double copies = conf.reset_after ? 3 : 2;
    return Recurrent(conf, {.units = conf.units, .gates = Gru::kGates, .copies = copies});
  }
  LayerMemory operator()(const Lstm& conf) const {
    return Recurrent(conf, {.units = conf.units, .gates = Lstm::kGates, .copies = 2});
  }
  LayerMemory operator()(const LastStep&) const { return {.passing = in}; }
  LayerMemory operator()(const SelfAttention& conf) const {
    const auto steps = static_cast<double>(layer.input.Steps());
    const double weights =
        out / PaddedValues(layer.output) * steps * steps * static_cast<double>(conf.heads);
    LayerMemory memory = Product(layer.input.channels, 3 * layer.input.channels);
    const LayerMemory last = Product(layer.input.channels, layer.input.channels);
    memory.kept += 3 * out + 3 * out + out + weights + Dropped(conf.dropout, weights) + last.kept;
    memory.passing += 8 * out + 2 * weights + last.passing;
    memory.tensors += last.tensors;
    return memory;
  }
  LayerMemory operator()(const CrossAttention& conf) const {
    const InputType& other = layer.other_inputs.front();
    const double examples = out / PaddedValues(layer.output),
                 asked = examples * PaddedValues(other);
    const double weights = examples * static_cast<double>(layer.input.Steps()) *
                           static_cast<double>(other.Steps()) * static_cast<double>(conf.heads);
    LayerMemory memory = Product(layer.input.channels, layer.input.channels);
    const LayerMemory answers = Product(layer.input.channels, 2 * layer.input.channels);
    const LayerMemory last = Product(layer.input.channels, layer.input.channels);
    memory.kept +=
        3 * out + 4 * asked + weights + Dropped(conf.dropout, weights) + answers.kept + last.kept;
    memory.passing += 5 * out + 5 * asked + 2 * weights + answers.passing + last.passing;
    memory.tensors += answers.tensors + last.tensors;
    return memory;
  }
  // The mask has one byte per value (gaussian: one float). Alpha dropout has two copies of its
  // added terms.
  LayerMemory operator()(const Dropout& conf) const {
    const double mask = conf.kind == DropoutKind::kGaussian ? out : out / sizeof(float);
    const double added = conf.kind == DropoutKind::kAlpha ? 2 * out : 0;
    return {.kept = mask + kVectorFloats, .passing = out + mask + added};
  }
  LayerMemory operator()(const GaussianNoise&) const { return {.passing = in + out}; }
  LayerMemory operator()(const GaussianSample&) const {  // deviations and noise
    return {.kept = in + 2 * out, .passing = in + out};
  }
  LayerMemory operator()(const MaxPool2D& pool) const { return {.kept = Positions(pool.window)}; }
  LayerMemory operator()(const AvgPool2D&) const { return {}; }
  LayerMemory operator()(const GlobalAvgPool2D&) const { return {}; }
  LayerMemory operator()(const AdaptiveAvgPool2D&) const { return MovedPixels(); }
  LayerMemory operator()(const AdaptiveMaxPool2D&) const {  // a copy in the plain layout
    return {.kept = in, .passing = in + out};
  }
  LayerMemory operator()(const MaxPool3D& pool) const { return {.kept = Positions(pool.window)}; }
  LayerMemory operator()(const AvgPool3D&) const { return {}; }
  LayerMemory operator()(const GlobalAvgPool3D&) const { return {}; }
  LayerMemory operator()(const ActivationLayer&) const { return {}; }
  LayerMemory operator()(const Flatten&) const { return {}; }
  LayerMemory operator()(const Add&) const { return Joined(); }
  LayerMemory operator()(const Average&) const { return Joined(); }
  LayerMemory operator()(const Multiply&) const {  // copies of the inputs in another layout
    LayerMemory memory = Joined();
    memory.kept = static_cast<double>(layer.reads.size()) * out;
    return memory;
  }
  LayerMemory operator()(const Maximum&) const {  // with the index of the maximum for each value
    LayerMemory memory = Joined();
    memory.kept = out;
    return memory;
  }
  LayerMemory operator()(const Concat&) const { return Joined(); }
  LayerMemory operator()(const Stack&) const {  // the joined tensor, and its rows
    LayerMemory memory = Joined();
    memory.passing += 2 * out;
    return memory;
  }
  LayerMemory operator()(const Reshape&) const { return MovedPixels(); }
  LayerMemory operator()(const Permute&) const { return MovedPixels(); }
  LayerMemory operator()(const Repeat&) const { return MovedPixels(); }
  LayerMemory operator()(const Subset&) const { return MovedPixels(); }
  LayerMemory operator()(const ScaleShift&) const { return MovedPixels(); }
  // A scale for each row and a copy of the input.
  LayerMemory operator()(const L2Normalize&) const {
    return {
        .kept = in + out / std::max(1.0, static_cast<double>(layer.input.channels)) + kVectorFloats,
        .passing = in + out};
  }
  LayerMemory operator()(const Upsample2D&) const { return MovedPixels(); }
  LayerMemory operator()(const ZeroPad2D&) const { return MovedPixels(); }
  LayerMemory operator()(const Crop2D&) const { return MovedPixels(); }
  // Keeps the bases of the powers, and a copy in the plain layout.
  LayerMemory operator()(const LocalResponseNorm&) const {
    return {.kept = 2 * out, .passing = in + 2 * out};
  }
  // Counted as a convolution from the output to the input.
  LayerMemory operator()(const TransposedConv2D& conv) const {
    const double weights = ConvolutionWeights(layer, conv);
    const double unfolded = threads * static_cast<double>(layer.output.channels) /
                            static_cast<double>(conv.groups) * Taps(conv.window) *
                            Area(layer.input);
    return {.passing = in + out + (2 + threads) * weights + unfolded,
            .tensors = weights + Bias(),
            .product = true};
  }

  // Working memory of a loss of whole sequences, for one example at a time: a likelihood for each
  // step and state. States are the classes, at most as many as steps, and a blank before, between
  // and after them.
  double OfLoss(const LossConf& loss) const {
    if (!JudgesSequences(loss)) return 0;
    constexpr double kFloatsOfLikelihood = 4;
    const auto steps = static_cast<double>(layer.input.Steps());
    return kFloatsOfLikelihood * (steps + 2) * (2 * steps + 1) + 3 * steps +
           2 * static_cast<double>(layer.output.channels);
  }
  // Positions of the largest values in their windows: a byte each, more in large windows.
  template <AnExtent Extent>
  double Positions(const WindowOf<Extent>& window) const {
    constexpr double kByteTaps = 1 << 8, kTwoByteTaps = 1 << 16;
    const double taps = Taps(window);
    const double bytes = taps <= kByteTaps ? 1 : taps <= kTwoByteTaps ? 2 : sizeof(int32_t);
    return bytes / sizeof(float) * out + kVectorFloats;
  }
  // Whether a kernel multiplies matrices, and therefore unfolds an image. oneDNN's kernels for
  // images whose channels fill vectors read windows where they are.
  template <typename Conv>
  bool Unfolds(const Conv& conv) const {
    constexpr int64_t kVector = 16;
    const auto one = ExtentOf<decltype(conv.window.stride)>(1);
    return std::is_same_v<Conv, Conv3D> || conv.groups > 1 || layer.input.channels % kVector != 0 ||
           layer.output.channels % kVector != 0 || conv.window.stride != one ||
           conv.window.dilation != one;
  }
  template <typename Conv>
  LayerMemory Convolved(const Conv& conv) const {
    const double weights = ConvolutionWeights(layer, conv);
    // Each kernel may require another layout of every tensor.
    const double unfolded = Unfolds(conv) ? threads * static_cast<double>(layer.input.channels) /
                                                static_cast<double>(conv.groups) *
                                                Taps(conv.window) * Area(layer.output)
                                          : 0;
    return {.passing = in + out + (2 + threads) * weights + unfolded,
            .tensors = weights + Bias(),
            .product = true};
  }
  template <typename Conf>
  LayerMemory OverSteps(int64_t front, const Conf& conf) const {
    LayerConfig image = layer;
    image.input = AsImage(layer.input);
    image.input.height += front;
    image.output = AsImage(layer.output);
    const double rows = in / std::max(1.0, PaddedValues(layer.input));
    const double read = rows * PaddedValues(image.input), given = rows * PaddedValues(image.output);
    LayerMemory memory =
        LayerCount{.layer = image, .in = read, .out = given, .threads = threads}(conf);
    memory.kept += read;
    memory.passing += read + given;
    return memory;
  }
  // Copies of the input and of its gradient in the plain layout.
  LayerMemory MovedPixels() const { return {.passing = in + out}; }

  // A copy in the plain layout, mean and deviation of each group, and sums in double.
  LayerMemory Groups(int64_t groups) const {
    const double examples = out / PaddedValues(layer.output);
    return {.kept = in + 2 * examples * static_cast<double>(groups) + 2 * kVectorFloats,
            .passing = in + out + 4 * Bias(),
            .tensors = 2 * Bias()};
  }

  // Copies of each input in another layout, and of its gradient.
  LayerMemory Joined() const {
    return {.passing = 2 * static_cast<double>(layer.reads.size()) * out};
  }
  // Returns the floats of attention weights after dropout and of their mask, one byte each.
  static double Dropped(double probability, double weights) {
    return probability > 0 ? weights + weights / sizeof(float) : 0;
  }
  double Bias() const { return RoundUp(static_cast<double>(layer.output.channels), kVectorFloats); }
  static double Square(int64_t extent) {
    return RoundUp(static_cast<double>(extent), kVectorFloats) *
           RoundUp(static_cast<double>(extent), kVectorFloats);
  }
  // The gates, cells and states of all steps are ordered by step, in addition to the product's
  // output. `copies` is the number of copies of the gates that the backward step needs.
  struct Cell {
    int64_t units = 0;
    int64_t gates = 0;
    double copies = 0;
  };
  LayerMemory Recurrent(const RecurrentKeys& conf, const Cell& cell) const {
    const double examples = out / PaddedValues(layer.output);
    const double states = examples * static_cast<double>(layer.input.Steps()) *
                          RoundUp(static_cast<double>(cell.units), kVectorFloats);
    const double recurrent = static_cast<double>(cell.gates) * Square(cell.units);
    const double gates = static_cast<double>(cell.gates) * states;
    LayerMemory memory = Product(layer.input.channels, cell.gates * cell.units);
    memory.kept += cell.copies * gates + 4 * states;
    memory.passing += (cell.copies + 2) * gates + 4 * states + 4 * recurrent;
    if (conf.recurrent_dropout > 0) {  // a mask, masked states, and the gradient of one step
      const double step = states / static_cast<double>(layer.input.Steps());
      memory.kept += states + step;
      memory.passing += states + 2 * step;
    }
    memory.tensors += recurrent + RoundUp(static_cast<double>(cell.units), kVectorFloats);
    if (!conf.IsBidirectional()) return memory;
    // The directions run one after the other. Each keeps its result while the other runs.
    memory.kept = 2 * memory.kept + 2 * states;
    memory.passing += in + 4 * states;
    memory.tensors *= 2;
    return memory;
  }
  LayerMemory InnerProduct() const { return Product(layer.input.channels, layer.output.channels); }
  // Counts a product that maps rows of `inputs` values to rows of `outputs` values.
  LayerMemory Product(int64_t inputs, int64_t outputs) const {
    const double weights = InnerProductWeights(inputs, outputs);
    // Counts its own gradient and other layouts. The first dense layer needs no gradient with
    // respect to its input, and so no other layout of its weights.
    return {.passing = in + 2 * weights + threads * 4 * static_cast<double>(inputs),
            .tensors = weights + RoundUp(static_cast<double>(outputs), kVectorFloats),
            .first = 2 * weights,
            .product = true};
  }
};

}  // namespace

double PaddedValues(const InputType& type) {
  return RoundUp(static_cast<double>(type.channels), kVectorFloats) * Area(type);
}

LayerMemory MemoryOf(const LayerConfig& layer, double in, double batch, double threads) {
  constexpr double kScratch = 16 << 10;  // for each thread of small kernels
  const double out = PaddedValues(layer.output) * batch;
  LayerMemory memory =
      std::visit(LayerCount{.layer = layer, .in = in, .out = out, .threads = threads}, layer.conf);
  memory.kept += out;
  memory.passing += in + 2 * out + threads * kScratch;
  const ActivationTraits activation = TraitsOf(ActivationOf(layer.conf));
  if (layer.output.IsSpatial() && !activation.keeps_zero) {  // a copy in the plain layout
    memory.kept += out;
    memory.passing += out;
  }
  if (activation.needs_input) memory.kept += out;
  return memory;
}

}  // namespace dl::nn
