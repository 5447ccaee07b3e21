// The tensors of a network between steps: weights with normalization moments, gradients and updater
// state, each tensor in the layout that the kernels of the current plan want. Conversion from and
// to the canonical flat vector copies bits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/float_buffer.h"
#include "base/segment_table.h"
#include "nn/canonical_copy.h"
#include "nn/conf/model_config.h"
#include "nn/layers/compiled_layer.h"
#include "nn/shared_parameters.h"
#include "nn/touched_rows.h"
#include "nn/updaters/updater.h"
#include "nn/weight_constraints.h"

namespace dl::nn {

// How one tensor lies.
struct ParameterLayout {
  Layout canonical;
  Layout layout;
  bool operator==(const ParameterLayout&) const = default;
};

// Not thread-safe. Parameter ids are the indices of the table's leading segments (parameters, then
// moments), and behind them those of what layers have from others.
class ParameterStore {
 public:
  // Of what is carried it has the table's rows alone.
  struct Options {
    int64_t carried_rows = 0;
    bool accumulates = false;  // room for AccumulateGradients
  };
  // REQUIRES: `model` outlives the store.
  ParameterStore(const ModelConfig& model, const Options& options);

  const SegmentTable& table() const { return table_; }
  int count() const { return static_cast<int>(tensors_.size()) + shared_.count(); }
  StatusOr<ParameterId> Find(std::string_view layer, std::string_view name) const;
  // Of a shared one its owner's.
  const Segment& segment(ParameterId id) const {
    return table_.segments()[IsShared(id) ? shared_.owner(SharedIndex(id)) : id];
  }

  // Whether steps change it; of a shared parameter its owner's answer.
  bool IsTrained(ParameterId id) const {
    return tensors_[IsShared(id) ? shared_.owner(SharedIndex(id)) : id].trained;
  }

  // Brings every tensor into the layouts given, by id. Changes generation() when anything moved.
  Status Arrange(const std::vector<ParameterLayout>& layouts);
  int64_t generation() const { return generation_; }
  // Of all tensors, gradients and updater states, with their padding.
  int64_t floats() const;

  // Segments in no stretch become zero. REQUIRES: Arrange was called; each lies in the table.
  Status Load(std::span<const Stretch> state);
  // REQUIRES: Arrange was called; state.size() == table().size()
  Status Store(std::span<float> state) const;

  float* weights(ParameterId id) {
    return IsShared(id) ? shared_.weights(SharedIndex(id)) : weights_.data() + tensors_[id].offset;
  }
  float* gradient(ParameterId id) {
    return IsShared(id) ? shared_.gradient(SharedIndex(id))
                        : gradients_.data() + tensors_[id].offset;
  }

  // Of a table whose gradient is that of few rows, and whose other rows a step leaves as they are
  // (IsLeftAloneByZeros); else nullptr.
  TouchedRows* touched(ParameterId id) {
    return IsShared(id) || !tensors_[id].touched ? nullptr : &*tensors_[id].touched;
  }

  // Behind each backward pass: gradient() of what is shared is the sum of its layers' from here on.
  Status AddSharedGradients() { return shared_.AddGradients(); }

  // Behind the backward pass of each of a step's micro-batches: behind the last one, gradient() is
  // the sum of theirs, in their order. REQUIRES: the store accumulates.
  struct MicroBatchPlace {
    bool first = false, last = false;
  };
  Status AccumulateGradients(const MicroBatchPlace& place);

  // One updater step over all parameters, from the gradients, and their constraints behind it.
  // Allocates nothing after the first call in an arrangement.
  Status Update(double learning_rate, int64_t update_count);
  // All parameters' gradients, canonical, at the offsets of their segments; valid until the next
  // call.
  StatusOr<std::span<const float>> CanonicalGradients();
  // Sets what lies at the segments of frozen parameters to zero: not every one has a gradient.
  void ClearFrozen(std::span<float> gradients) const;

 private:
  struct Tensor {
    int segment = 0;
    std::array<int, kMaxUpdaterStates> states;  // segments; -1: none
    int64_t offset = 0;                         // in each block
    int64_t floats = 0;
    int layer = 0;  // by its index in the model
    bool trained = true;
    double l1 = 0, l2 = 0, weight_decay = 0, learning_rate_factor = 1;
    WeightConstraintConf constraint;
    double gradient_scale = 1, trust_ratio = 1;  // of the present step
    std::optional<TouchedRows> touched;
    Primitive to_kernel, to_canonical;  // empty when the layouts agree
  };
  // A copy, and the arrangement that it is bound to.
  struct BoundCopy {
    CanonicalCopy copy;
    int64_t generation = -1;
  };
  bool IsShared(ParameterId id) const { return id >= static_cast<int>(tensors_.size()); }
  int SharedIndex(ParameterId id) const { return id - static_cast<int>(tensors_.size()); }
  Status Place(const std::vector<ParameterLayout>& layouts);
  Status PlaceShared(const std::vector<ParameterLayout>& layouts);
  // Between the block and a canonical vector of all parameters.
  Status StoreParameters(const FloatBuffer& block, std::span<float> canonical) const;
  Status LoadParameters(std::span<const float> canonical, FloatBuffer& block) const;
  StatusOr<std::span<const float>> Canonical(const FloatBuffer& block, BoundCopy& copy);
  // Clipping by norms and normalization, as far as the step scales what is clipped by value.
  Status ScaleGradients(UpdateStep& step);
  void NormalizeGradients(std::span<const float> gradients, float bound);
  Status SetTrustRatios();
  Status ConstrainWeights();
  // Whether a step by a gradient of zero leaves a value of the tensor as it was, bit for bit.
  bool IsLeftAloneByZeros(const Tensor& tensor) const;
  void UpdateTensor(const UpdateStep& step, const Tensor& tensor);
  UpdateTensors ViewOf(const Tensor& tensor);
  const Segment& SegmentOf(const Tensor& tensor) const { return table_.segments()[tensor.segment]; }

  const ModelConfig& model_;
  const bool accumulates_;
  SegmentTable table_;
  std::vector<Tensor> tensors_;
  SharedParameters shared_;
  std::vector<ParameterLayout> layouts_;
  FloatBuffer weights_, gradients_;
  FloatBuffer accumulated_;  // of micro-batches, from the first to the last of a step
  bool accumulating_ = false;
  std::array<FloatBuffer, kMaxUpdaterStates> states_;
  BoundCopy gradients_copy_, weights_copy_;
  WeightConstraints constraints_;
  int64_t constraints_generation_ = -1;  // the arrangement that they are bound to
  bool trains_all_ = true;
  int64_t generation_ = 0;
};

}  // namespace dl::nn
