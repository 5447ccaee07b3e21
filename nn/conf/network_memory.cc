#include "nn/conf/network_memory.h"

#include <algorithm>
#include <set>
#include <vector>

#include "nn/conf/activation_segments.h"
#include "nn/conf/gradient_norms.h"
#include "nn/conf/kinds.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/layer_memory.h"
#include "nn/conf/row_layers.h"

namespace dl::nn {
namespace {

constexpr double kFloat = sizeof(float);
constexpr int64_t kProcessBytes = 20 << 20;  // of oneDNN itself and of threads
constexpr int64_t kLayerBytes = 256 << 10;   // compiled code and its descriptions

int64_t Bytes(double floats) {
  return static_cast<int64_t>(std::min(floats * kFloat, static_cast<double>(kMaxNetworkBytes)));
}

// The lifetimes of a model's values: from the layer that computes a value to the last layer that
// reads it. A layer is its index. The model's inputs come before all layers.
class Lifetimes {
 public:
  explicit Lifetimes(const ModelConfig& model) : ends_(model.layers.size() + 1) {
    const auto inputs = static_cast<int>(model.inputs.size());
    std::vector<size_t> last_readers(model.layers.size() + inputs);
    for (size_t i = 0; i < model.layers.size(); ++i) {
      for (const int read : model.layers[i].reads) last_readers[read + inputs] = i;
    }
    for (size_t i = 0; i < model.layers.size(); ++i) {  // losses read the outputs at the end
      if (EndsModel(model.layers[i].conf)) last_readers[i + inputs] = model.layers.size();
    }
    for (size_t value = 0; value < last_readers.size(); ++value)
      ends_[last_readers[value]].push_back(static_cast<int>(value) - inputs);
  }
  // Returns the layers and inputs whose values `layer` is the last to read.
  const std::vector<int>& EndingAt(size_t layer) const { return ends_[layer]; }

 private:
  std::vector<std::vector<int>> ends_;
};

// Memory of a pass over the layers, in floats.
struct PassMemory {
  double training = 0;   // largest amount at a time, forward and backward
  double inference = 0;  // largest amount at a time, forward only
  double tensors = 0;    // sum over all layers
  double own = 0;        // sum over all layers
  double gradients = 0;  // of parameters, which exist during the whole pass
};

// How long the gradients of parameters exist.
class GradientLifetimes {
 public:
  GradientLifetimes(const ModelConfig& model, bool accumulates)
      : all_stay_(accumulates || NeedsTensorNorms(model.updater) || NeedsGradientNorms(model)) {
    for (size_t i = 0; i < model.layers.size(); ++i) {
      for (const SharedParameter& shared : model.layers[i].shared) {
        share_.insert(i);
        share_.insert(static_cast<size_t>(shared.layer));
      }
    }
  }
  // Returns whether gradients of the layer exist during the whole pass. The other gradients exist
  // only while their layer computes them (ParameterStore::ConsumesGradient).
  bool Stay(size_t i, const LayerConfig& layer) const {
    return all_stay_ || share_.contains(i) || std::holds_alternative<Embedding>(layer.conf);
  }

 private:
  const bool all_stay_;
  std::set<size_t> share_;  // layers with shared weights
};

// Adds the copies in bf16 that a pass makes: of what a layer reads and writes, in either type, and
// of recurrent weights. All tensors are counted as float32, so their halves leave room for copies
// of the factors of products.
void AddCopiesOfBf16(double in, double out, LayerMemory& memory) {
  memory.passing += in + out + memory.tensors / 2;
}

// The values that training keeps if it computes activations again (nn/conf/activation_segments.h).
class ActivationSegmentsInMemory {
 public:
  ActivationSegmentsInMemory(const ModelConfig& model, const NetworkShape& shape)
      : segments_(model.layers.size(), 0) {
    if (!shape.checkpoint_activations) return;
    segments_ = ActivationSegments(model);
    for (size_t i = 0; i < segments_.size(); ++i) {
      const LayerConfig& layer = model.layers[i];
      if (!CarriedOf(layer.conf).empty()) stay_.insert(segments_[i]);
      if (EndsModel(layer.conf)) read_later_.insert(static_cast<int>(i));
      for (const int read : layer.reads) {
        if (!IsInput(read) && segments_[read] != segments_[i]) read_later_.insert(read);
      }
    }
  }
  // Returns whether the layer is the first of a segment, but not of the first segment.
  bool Begins(size_t i) const { return i > 0 && segments_[i] != segments_[i - 1]; }
  // Returns whether the layer begins a segment, and the values of the segment before it are
  // computed again, except those that ReadLater contains.
  bool Drops(size_t i) const { return Begins(i) && !stay_.contains(segments_[i - 1]); }
  // The layers whose outputs exist during the whole pass.
  const std::set<int>& ReadLater() const { return read_later_; }

 private:
  std::vector<int> segments_;  // of each layer
  std::set<int> stay_;         // segments that are not computed again
  std::set<int> read_later_;
};

// Returns whether a step adds up gradients of micro-batches.
bool Accumulates(const NetworkShape& shape) {
  return shape.micro_batch > 0 && shape.micro_batch < shape.max_batch;
}

PassMemory PassOf(const ModelConfig& model, double batch, const NetworkShape& shape) {
  constexpr int64_t kFewChannels = 4;  // of an image that kernels read without padding
  const Lifetimes lifetimes(model);
  const GradientLifetimes gradients(model, Accumulates(shape));
  const double input = static_cast<double>(ElementsOf(model.inputs)) * batch;
  PassMemory pass;
  double alive = input;  // values that a later layer reads
  const ActivationSegmentsInMemory segments(model, shape);
  double stored = 0;
  for (const int i : segments.ReadLater()) stored += batch * PaddedValues(model.layers[i].output);
  double kept = input + stored;  // for the backward pass
  double kept_before = kept;     // the current segment
  pass.training = kept;
  bool trained = false;  // this or an earlier layer has parameters
  bool as_it_comes = std::ranges::all_of(
      model.inputs, [](const NamedInput& each) { return each.type.channels <= kFewChannels; });
  for (size_t i = 0; i < model.layers.size(); ++i) {
    const LayerConfig& layer = model.layers[i];
    const double in = batch * (as_it_comes ? static_cast<double>(layer.input.Elements())
                                           : PaddedValues(layer.input));
    LayerMemory memory = MemoryOf(layer, in, batch, static_cast<double>(shape.threads));
    if (segments.Drops(i)) {
      kept = kept_before;
    } else if (segments.Begins(i)) {
      kept_before = kept;
    }
    if (shape.precision == Precision::kBf16)
      AddCopiesOfBf16(in, batch * PaddedValues(layer.output), memory);
    pass.inference = std::max(pass.inference, alive + memory.kept + memory.passing);
    for (const int read : lifetimes.EndingAt(i)) {
      alive -= batch * (IsInput(read)
                            ? static_cast<double>(model.inputs[InputIndex(read)].type.Elements())
                            : PaddedValues(model.layers[read].output));
    }
    // Gradients of values that other layers also read, or that this layer does not read, exist
    // meanwhile.
    memory.passing += 2 * alive;
    alive += batch * PaddedValues(layer.output);
    if (!trained) memory.passing -= memory.first;
    pass.tensors += memory.tensors;
    if (gradients.Stay(i, layer)) {
      pass.gradients += memory.tensors;
    } else {
      memory.passing += memory.tensors;
    }
    pass.own += memory.own;
    if (memory.product) as_it_comes = false;
    if (!trained && layer.parameters.empty() && layer.shared.empty()) {
      // A layer without backward step keeps its output for the layers after it.
      pass.training = std::max(pass.training, kept + 2 * memory.kept);
      kept = kept_before = alive + stored;
      continue;
    }
    trained = true;
    kept += memory.kept;
    pass.training = std::max(pass.training, kept + memory.passing);
  }
  return pass;
}

// Returns the number of elements of the largest parameter to which the predicate applies.
template <typename Predicate>
double LargestParameter(const ModelConfig& model, Predicate applies) {
  double largest = 0;
  for (const LayerConfig& layer : model.layers) {
    for (const ParameterConf& parameter : layer.parameters) {
      if (!applies(parameter)) continue;
      double elements = 1;
      for (const int64_t extent : parameter.shape) elements *= static_cast<double>(extent);
      largest = std::max(largest, elements);
    }
  }
  return largest;
}

// Returns the floats that training of `batch` examples needs in addition if it computes the last
// layers only for the rows that count. At most three quarters of the rows are then copied, as
// values and as gradients, with their labels, weights and indices. The last layers keep a quarter
// less.
double CountedRowsOf(const ModelConfig& model, double batch) {
  constexpr double kMostRows = 0.75, kLabelAndMore = 3;
  const auto values = [&](int read) {
    return PaddedValues(IsInput(read) ? model.inputs[InputIndex(read)].type
                                      : model.layers[read].output);
  };
  double floats = 0;
  for (const ModelOutput& output : OutputsOf(model)) {
    if (!JudgesRowsAlone(output)) continue;
    const std::vector<bool> members = RowLayersOf(model, output);
    std::set<int> copied;
    double saved = 0;
    for (size_t i = 0; i < members.size(); ++i) {
      if (!members[i]) continue;
      saved += (1 - kMostRows) * PaddedValues(model.layers[i].output);
      for (const int read : model.layers[i].reads) {
        if (IsInput(read) || !members[read]) copied.insert(read);
      }
    }
    double copies = 0;
    for (const int read : copied) copies += 2 * kMostRows * values(read);
    const auto rows = static_cast<double>(output.type.Steps());
    const double targets = output.HasClasses() ? 0 : static_cast<double>(output.conf.units);
    floats += std::max(0.0, copies - saved) + kMostRows * rows * (kLabelAndMore + targets);
  }
  return batch * floats;
}

}  // namespace

NetworkMemory NetworkMemoryAtMost(const ModelConfig& model, const NetworkShape& shape) {
  constexpr double kHoles = 1.2;  // gaps between buffers that live at different times
  const int64_t evaluated =
      shape.max_evaluation_batch > 0 ? shape.max_evaluation_batch : shape.max_batch;
  const bool accumulates = Accumulates(shape);
  const int64_t at_once = accumulates ? shape.micro_batch : shape.max_batch;
  PassMemory trains = PassOf(model, static_cast<double>(at_once), shape);
  trains.training += CountedRowsOf(model, static_cast<double>(at_once));
  const PassMemory evaluates = PassOf(model, static_cast<double>(evaluated), shape);
  const double arena =
      shape.max_batch > 0 ? std::max(trains.training, evaluates.inference) : evaluates.inference;
  const auto states = static_cast<double>(StateNamesOf(model.updater).size());
  // Parameters, updater states, gradients, and the accumulated gradients of micro-batches.
  double tensors = (1 + states) * evaluates.tensors + (accumulates ? 2 : 1) * evaluates.gradients;
  // Copies in the canonical order, from which norms are computed, of one tensor at a time: of a
  // gradient, of weights, and of constrained weights.
  const int copies = NeedsTensorNorms(model.updater) ? 2 : NeedsGradientNorms(model) ? 1 : 0;
  tensors += copies * LargestParameter(model, [](const ParameterConf&) { return true; });
  tensors += LargestParameter(model, [](const ParameterConf& parameter) {
    return parameter.weight_constraint.kind != WeightConstraintKind::kNone;
  });
  tensors += evaluates.own;
  // Copies of weights in bf16, half as large: for the forward step, and for the gradient of inputs.
  if (shape.precision == Precision::kBf16)
    tensors += evaluates.tensors / 2 * (shape.max_batch > 0 ? 2 : 1);
  const double rows = static_cast<double>(std::max(shape.carried_rows, shape.max_batch)) +
                      static_cast<double>(evaluated);
  for (const LayerConfig& layer : model.layers) {
    for (const CarriedConf& carried : CarriedOf(layer.conf))
      tensors += rows * static_cast<double>(carried.features) + 2 * kVectorFloats;
  }
  return {.tensors = Bytes(tensors),
          .arena = Bytes(arena * kHoles),
          .kernels = kProcessBytes + kLayerBytes * static_cast<int64_t>(model.layers.size())};
}

}  // namespace dl::nn
