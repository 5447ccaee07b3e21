#include "nn/conf/network_memory.h"

#include <algorithm>
#include <cmath>

#include "nn/conf/kinds.h"
#include "nn/conf/layer_config.h"

namespace dl::nn {
namespace {

// Counts are doubles: they cannot overflow, and a bound needs no last digit.
constexpr double kFloat = sizeof(float);
constexpr int64_t kProcessBytes = 20 << 20;  // of oneDNN itself, and of threads
constexpr int64_t kLayerBytes = 256 << 10;   // of compiled code and its descriptions
constexpr double kVector =
    16;  // floats of the longest one: kernels lay channels out in such blocks

double RoundUp(double value, double multiple) { return std::ceil(value / multiple) * multiple; }
double Area(const InputType& type) {
  return static_cast<double>(type.height) * static_cast<double>(type.width);
}
double Taps(const Window& window) {
  return static_cast<double>(window.kernel.height) * static_cast<double>(window.kernel.width);
}

// Values of one example between layers, as kernels lay them out.
double Padded(const InputType& type) {
  return RoundUp(static_cast<double>(type.channels), kVector) * Area(type);
}

// The weights of a dense layer as its kernels lay them out.
double InnerProductWeights(int64_t inputs, int64_t outputs) {
  const auto out = static_cast<double>(outputs);
  // AVX-512's kernels of inner products take up to four vectors of outputs at once.
  const double block = out >= 4 * kVector   ? 4 * kVector
                       : out >= 2 * kVector ? 2 * kVector
                                            : kVector;
  return RoundUp(static_cast<double>(inputs), kVector) * RoundUp(out, block);
}

// Of a convolution, or of a transposed one.
template <typename Conv>
double ConvolutionWeights(const LayerConfig& layer, const Conv& conv) {
  const auto in = static_cast<double>(layer.input.channels);
  const auto out = static_cast<double>(layer.output.channels);
  const auto groups = static_cast<double>(conv.groups);
  if (conv.groups == layer.input.channels)  // blocks of groups
    return RoundUp(groups, kVector) * (out / groups) * Taps(conv.window);
  return groups * RoundUp(in / groups, kVector) * RoundUp(out / groups, kVector) *
         Taps(conv.window);
}

// Of one layer, in floats, for one minibatch.
struct LayerMemory {
  double kept = 0;       // from its forward to its backward step
  double passing = 0;    // in one of these steps only: gradients, copies in other layouts, scratch
  double tensors = 0;    // parameters and moments: between steps too
  double first = 0;      // of `passing`, what the first layer with parameters does without
  bool product = false;  // writes its output in a layout of its kernels
};

// What layers differ in; `in` and `out` are values of the minibatch. No default branch: of a layer
// that nobody counted, a master would say that every executor holds it.
struct LayerCount {
  const LayerConfig& layer;
  double in, out, threads;

  LayerMemory operator()(const Dense&) const { return InnerProduct(); }
  LayerMemory operator()(const Output&) const { return InnerProduct(); }
  LayerMemory operator()(const Conv2D& conv) const {
    const double weights = ConvolutionWeights(layer, conv);
    // Each of its kernels may want its own layout of everything; those that multiply matrices
    // unfold an image.
    const double unfolded = threads * static_cast<double>(layer.input.channels) /
                            static_cast<double>(conv.groups) * Taps(conv.window) *
                            Area(layer.output);
    return {.passing = in + out + (2 + threads) * weights + unfolded,
            .tensors = weights + Bias(),
            .product = true};
  }
  // As images, with the copies that turn sequences into them and back, forward and backward.
  LayerMemory operator()(const Conv1D& conv) const {
    LayerMemory memory = OverSteps(conv.StepsInFront(), conv.As2D());
    memory.product = false;
    return memory;
  }
  LayerMemory operator()(const MaxPool1D& pool) const { return OverSteps(0, pool.As2D()); }
  LayerMemory operator()(const AvgPool1D& pool) const { return OverSteps(0, pool.As2D()); }
  LayerMemory operator()(const GlobalAvgPool1D&) const { return {.passing = in}; }
  LayerMemory operator()(const GlobalMaxPool1D&) const { return {.kept = in, .passing = in}; }
  LayerMemory operator()(const BatchNorm&) const {
    return {.tensors = 4 * RoundUp(static_cast<double>(layer.input.channels), kVector)};
  }
  LayerMemory operator()(const LayerNorm&) const {
    // Of each row its mean and deviation; of gamma and beta sums in double.
    return {
        .kept = 2 * out / std::max(1.0, static_cast<double>(layer.input.channels)) + 2 * kVector,
        .passing = 4 * Bias(),
        .tensors = 2 * Bias()};
  }
  LayerMemory operator()(const GroupNorm& conf) const { return Groups(conf.groups); }
  LayerMemory operator()(const InstanceNorm&) const { return Groups(layer.input.channels); }
  // With copies in the plain layout.
  LayerMemory operator()(const PRelu&) const {
    return {.kept = in, .passing = out + 2 * Bias(), .tensors = Bias()};
  }
  LayerMemory operator()(const RmsNorm&) const {
    return {.kept = out / std::max(1.0, static_cast<double>(layer.input.channels)) + kVector,
            .passing = 2 * Bias(),
            .tensors = Bias()};
  }
  LayerMemory operator()(const Embedding& conf) const {
    return {.tensors =
                static_cast<double>(conf.indices) * static_cast<double>(conf.units) + kVector};
  }
  LayerMemory operator()(const PositionalEmbedding&) const {
    return {.tensors = static_cast<double>(layer.input.Elements()) + kVector};
  }
  LayerMemory operator()(const SimpleRnn& conf) const {
    return Recurrent(conf, {.units = conf.units, .gates = 1, .copies = 2});
  }
  // What the product with the state gives is kept where the reset comes behind it.
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
        out / Padded(layer.output) * steps * steps * static_cast<double>(conf.heads);
    LayerMemory memory = Product(layer.input.channels, 3 * layer.input.channels);
    const LayerMemory last = Product(layer.input.channels, layer.input.channels);
    memory.kept += 3 * out + 3 * out + out + weights + last.kept;
    memory.passing += 8 * out + 2 * weights + last.passing;
    memory.tensors += last.tensors;
    return memory;
  }
  LayerMemory operator()(const Dropout& conf) const {  // the mask; of alpha dropout two
    const double added = conf.kind == DropoutKind::kAlpha ? 2 * out : 0;
    return {.kept = out, .passing = out + added};
  }
  LayerMemory operator()(const GaussianSample&) const {  // deviations and noise
    return {.kept = in + 2 * out, .passing = in + out};
  }
  LayerMemory operator()(const MaxPool2D&) const { return {}; }
  LayerMemory operator()(const AvgPool2D&) const { return {}; }
  LayerMemory operator()(const GlobalAvgPool2D&) const { return {}; }
  LayerMemory operator()(const ActivationLayer&) const { return {}; }
  LayerMemory operator()(const Flatten&) const { return {}; }
  LayerMemory operator()(const Add&) const { return Joined(); }
  LayerMemory operator()(const Average&) const { return Joined(); }
  LayerMemory operator()(const Multiply&) const {  // by its inputs, in another layout
    LayerMemory memory = Joined();
    memory.kept = static_cast<double>(layer.reads.size()) * out;
    return memory;
  }
  LayerMemory operator()(const Maximum&) const {  // and of which input each value is
    LayerMemory memory = Joined();
    memory.kept = out;
    return memory;
  }
  LayerMemory operator()(const Concat&) const { return Joined(); }
  LayerMemory operator()(const Reshape&) const { return MovedPixels(); }
  LayerMemory operator()(const Permute&) const { return MovedPixels(); }
  LayerMemory operator()(const Repeat&) const { return MovedPixels(); }
  LayerMemory operator()(const Subset&) const { return MovedPixels(); }
  LayerMemory operator()(const ScaleShift&) const { return MovedPixels(); }
  LayerMemory operator()(const L2Normalize&) const {  // a scale of each row, a copy of the input
    return {.kept = in + out / std::max(1.0, static_cast<double>(layer.input.channels)) + kVector,
            .passing = in + out};
  }
  LayerMemory operator()(const Upsample2D&) const { return MovedPixels(); }
  LayerMemory operator()(const ZeroPad2D&) const { return MovedPixels(); }
  LayerMemory operator()(const Crop2D&) const { return MovedPixels(); }
  // What the powers are taken of stays, and a copy in the plain layout.
  LayerMemory operator()(const LocalResponseNorm&) const {
    return {.kept = 2 * out, .passing = in + 2 * out};
  }
  // As a convolution from its output to its input.
  LayerMemory operator()(const TransposedConv2D& conv) const {
    const double weights = ConvolutionWeights(layer, conv);
    const double unfolded = threads * static_cast<double>(layer.output.channels) /
                            static_cast<double>(conv.groups) * Taps(conv.window) *
                            Area(layer.input);
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
    const double rows = in / std::max(1.0, Padded(layer.input));
    const double read = rows * Padded(image.input), given = rows * Padded(image.output);
    LayerMemory memory =
        LayerCount{.layer = image, .in = read, .out = given, .threads = threads}(conf);
    memory.kept += read;
    memory.passing += read + given;
    return memory;
  }
  // Copies in the plain layout, of what it reads and of the gradient.
  LayerMemory MovedPixels() const { return {.passing = in + out}; }

  // A copy in the plain layout, of each group its mean and deviation; sums in double.
  LayerMemory Groups(int64_t groups) const {
    const double examples = out / Padded(layer.output);
    return {.kept = in + 2 * examples * static_cast<double>(groups) + 2 * kVector,
            .passing = in + out + 4 * Bias(),
            .tensors = 2 * Bias()};
  }

  // A copy of each input, in another layout, and of its gradient.
  LayerMemory Joined() const {
    return {.passing = 2 * static_cast<double>(layer.reads.size()) * out};
  }
  double Bias() const { return RoundUp(static_cast<double>(layer.output.channels), kVector); }
  static double Square(int64_t extent) {
    return RoundUp(static_cast<double>(extent), kVector) *
           RoundUp(static_cast<double>(extent), kVector);
  }
  // The gates, with the cells and the states of all steps, lie by steps beside the product's own:
  // so many copies of the gates for the backward step.
  struct Cell {
    int64_t units = 0;
    int64_t gates = 0;
    double copies = 0;
  };
  LayerMemory Recurrent(const RecurrentKeys& conf, const Cell& cell) const {
    const double examples = out / Padded(layer.output);
    const double states = examples * static_cast<double>(layer.input.Steps()) *
                          RoundUp(static_cast<double>(cell.units), kVector);
    const double recurrent = static_cast<double>(cell.gates) * Square(cell.units);
    const double gates = static_cast<double>(cell.gates) * states;
    LayerMemory memory = Product(layer.input.channels, cell.gates * cell.units);
    memory.kept += cell.copies * gates + 4 * states;
    memory.passing += (cell.copies + 2) * gates + 4 * states + 4 * recurrent;
    memory.tensors += recurrent + RoundUp(static_cast<double>(cell.units), kVector);
    if (!conf.IsBidirectional()) return memory;
    // Of the steps one runs at a time, beside what the other gave or waits for.
    memory.kept = 2 * memory.kept + 2 * states;
    memory.passing += in + 4 * states;
    memory.tensors *= 2;
    return memory;
  }
  LayerMemory InnerProduct() const { return Product(layer.input.channels, layer.output.channels); }
  // Of rows of `inputs`, which become rows of `outputs`.
  LayerMemory Product(int64_t inputs, int64_t outputs) const {
    const double weights = InnerProductWeights(inputs, outputs);
    // Its own gradient, and other layouts. Nobody wants the gradient by the data: the first dense
    // layer has no other layout of its weights.
    return {.passing = in + 2 * weights + threads * 4 * static_cast<double>(inputs),
            .tensors = weights + RoundUp(static_cast<double>(outputs), kVector),
            .first = 2 * weights,
            .product = true};
  }
};

LayerMemory MemoryOf(const LayerConfig& layer, double in, double batch, double threads) {
  constexpr double kScratch = 16 << 10;  // of each thread of small kernels
  const double out = Padded(layer.output) * batch;
  LayerMemory memory =
      std::visit(LayerCount{.layer = layer, .in = in, .out = out, .threads = threads}, layer.conf);
  memory.kept += out;
  memory.passing += in + 2 * out + threads * kScratch;
  const ActivationTraits activation = TraitsOf(ActivationOf(layer.conf));
  if (layer.output.IsImage() && !activation.keeps_zero) {  // a copy in the plain layout
    memory.kept += out;
    memory.passing += out;
  }
  if (activation.needs_input) memory.kept += out;
  return memory;
}

int64_t Bytes(double floats) {
  return static_cast<int64_t>(std::min(floats * kFloat, static_cast<double>(kMaxNetworkBytes)));
}

// Of a model, how long the values between its layers live: from the layer that gives them to the
// last that reads them. A layer is its index, the model's input comes before all.
class Lifetimes {
 public:
  explicit Lifetimes(const ModelConfig& model)
      : last_readers_(model.layers.size() + 1), ends_(model.layers.size() + 1) {
    for (size_t i = 0; i < model.layers.size(); ++i) {
      for (const int read : model.layers[i].reads) last_readers_[read + 1] = i;
    }
    last_readers_.back() = model.layers.size();  // the outputs, which their loss reads
    for (size_t value = 0; value < last_readers_.size(); ++value)
      ends_[last_readers_[value]].push_back(static_cast<int>(value) - 1);
  }
  // The layers (or kModelInput) whose values `layer` is the last to read.
  const std::vector<int>& EndingAt(size_t layer) const { return ends_[layer]; }

 private:
  std::vector<size_t> last_readers_;
  std::vector<std::vector<int>> ends_;
};

// What a pass over the layers comes to, in floats.
struct PassMemory {
  double training = 0;   // at most at a time, forward and back
  double inference = 0;  // forward alone
  double tensors = 0;    // of all layers
};

PassMemory PassOf(const ModelConfig& model, double batch, double threads) {
  constexpr int64_t kFewChannels = 4;  // of an image as it comes, which no kernel pads
  const Lifetimes lifetimes(model);
  const double input = static_cast<double>(model.input.Elements()) * batch;
  PassMemory pass;
  double alive = input;  // values that somebody still reads
  double kept = input;   // for the backward pass
  pass.training = kept;
  bool trained = false;  // a layer before has parameters
  bool as_it_comes = model.input.channels <= kFewChannels;
  for (size_t i = 0; i < model.layers.size(); ++i) {
    const LayerConfig& layer = model.layers[i];
    const double in =
        batch * (as_it_comes ? static_cast<double>(layer.input.Elements()) : Padded(layer.input));
    LayerMemory memory = MemoryOf(layer, in, batch, threads);
    pass.inference = std::max(pass.inference, alive + memory.kept + memory.passing);
    for (const int read : lifetimes.EndingAt(i))
      alive -= read == kModelInput ? input : batch * Padded(model.layers[read].output);
    // Gradients by values that others read too, or that it does not read: they wait.
    memory.passing += 2 * alive;
    alive += batch * Padded(layer.output);
    if (!trained) memory.passing -= memory.first;
    pass.tensors += memory.tensors;
    if (memory.product) as_it_comes = false;
    if (!trained && layer.parameters.empty()) {
      // It has no backward step, so what it gives stays, for the layers behind it.
      pass.training = std::max(pass.training, kept + 2 * memory.kept);
      kept = alive;
      continue;
    }
    trained = true;
    kept += memory.kept;
    pass.training = std::max(pass.training, kept + memory.passing);
  }
  return pass;
}

// Elements of the largest tensor that is held to a constraint.
double LargestConstrained(const ModelConfig& model) {
  double largest = 0;
  for (const LayerConfig& layer : model.layers) {
    for (const ParameterConf& parameter : layer.parameters) {
      if (parameter.weight_constraint.kind == WeightConstraintKind::kNone) continue;
      double elements = 1;
      for (const int64_t extent : parameter.shape) elements *= static_cast<double>(extent);
      largest = std::max(largest, elements);
    }
  }
  return largest;
}

}  // namespace

NetworkMemory NetworkMemoryAtMost(const ModelConfig& model, const NetworkShape& shape) {
  constexpr double kHoles = 1.2;  // between buffers that live at different times
  const auto threads = static_cast<double>(shape.threads);
  const int64_t evaluated =
      shape.max_evaluation_batch > 0 ? shape.max_evaluation_batch : shape.max_batch;
  const bool accumulates = shape.micro_batch > 0 && shape.micro_batch < shape.max_batch;
  const int64_t at_once = accumulates ? shape.micro_batch : shape.max_batch;
  const PassMemory trains = PassOf(model, static_cast<double>(at_once), threads);
  const PassMemory evaluates = PassOf(model, static_cast<double>(evaluated), threads);
  const double arena =
      shape.max_batch > 0 ? std::max(trains.training, evaluates.inference) : evaluates.inference;
  const auto states = static_cast<double>(StateNamesOf(model.updater).size());
  // And their gradients, and what these come to over micro-batches.
  double tensors = (2 + states + (accumulates ? 1 : 0)) * evaluates.tensors;
  // Copies in the canonical order, of which norms are taken: of gradients, and of weights; of one
  // tensor at a time where these are constrained.
  const bool by_tensor =
      std::holds_alternative<Lars>(model.updater) || std::holds_alternative<Lamb>(model.updater);
  const bool by_norm = model.clip_gradients_by_norm > 0 ||
                       model.gradient_normalization.kind != GradientNormalizationKind::kNone;
  const int copies = by_tensor ? 2 : by_norm ? 1 : 0;
  tensors += copies * static_cast<double>(model.ParameterCount()) + LargestConstrained(model);
  const double rows = static_cast<double>(std::max(shape.carried_rows, shape.max_batch)) +
                      static_cast<double>(evaluated);
  for (const LayerConfig& layer : model.layers) {
    for (const CarriedConf& carried : CarriedOf(layer.conf))
      tensors += rows * static_cast<double>(carried.features) + 2 * kVector;
  }
  return {.tensors = Bytes(tensors),
          .arena = Bytes(arena * kHoles),
          .kernels = kProcessBytes + kLayerBytes * static_cast<int64_t>(model.layers.size())};
}

}  // namespace dl::nn
