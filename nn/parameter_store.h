// The tensors of a network between steps: weights, normalization moments, gradients and updater
// state. Each tensor has the layout that the kernels of the current plan require. Conversion from
// and to the canonical flat vector copies bits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/float_buffer.h"
#include "base/segment_table.h"
#include "nn/canonical_tensors.h"
#include "nn/conf/model_config.h"
#include "nn/layers/compiled_layer.h"
#include "nn/shared_parameters.h"
#include "nn/touched_rows.h"
#include "nn/updaters/updater.h"
#include "nn/weight_constraints.h"
#include "nn/weight_copies.h"

namespace dl::nn {

// Layout of one tensor, in the canonical vector and in memory.
struct ParameterLayout {
  Layout canonical;
  Layout layout;
  bool operator==(const ParameterLayout&) const = default;
};

// Not thread-safe. A parameter id below the number of parameters and moments is the index of their
// segment in the table. Higher ids are parameters that a layer shares with their owner, another
// layer.
class ParameterStore {
 public:
  struct Options {
    // Number of rows of carried states in table(). CarriedStates holds their values, not the store.
    int64_t carried_rows = 0;
    bool accumulates = false;    // allocates memory for AccumulateGradients
    bool early_updates = false;  // lets ConsumesGradient return true
  };
  // REQUIRES: `model` outlives the store.
  ParameterStore(const ModelConfig& model, const Options& options);

  const SegmentTable& table() const { return table_; }
  // Number of parameter ids.
  int count() const { return static_cast<int>(tensors_.size()) + shared_.count(); }
  // Returns the id of "<layer>.<name>". Returns Internal if the model has no such parameter or
  // moment.
  StatusOr<ParameterId> Find(std::string_view layer, std::string_view name) const;
  // Returns the segment of a parameter, or of its owner if the parameter is shared.
  const Segment& segment(ParameterId id) const {
    return table_.segments()[IsShared(id) ? shared_.owner(SharedIndex(id)) : id];
  }

  // Returns whether updates change the parameter, or its owner if it is shared. False for the
  // parameters of frozen layers and for moments.
  bool IsTrained(ParameterId id) const {
    return tensors_[IsShared(id) ? shared_.owner(SharedIndex(id)) : id].trained;
  }

  // Moves every tensor into the given layout, indexed by id, and makes the given copies. The
  // tensors are zero after the first call, and keep their values in later calls. Changes
  // generation() if anything moved. This and the functions below return the errors of primitives
  // (nn/backend/primitive.h) and of FloatBuffer::Create. After an error in the middle of a change,
  // the values are lost, and every later call of Arrange returns Internal.
  Status Arrange(const std::vector<ParameterLayout>& layouts,
                 const std::vector<WeightCopies::Request>& copies = {});
  int64_t generation() const { return generation_; }
  // Number of floats of all tensors, gradients, updater states, copies of them and scratch memory,
  // including padding.
  int64_t floats() const;
  // Number of floats that copies in another layout or type take. Part of floats().
  int64_t floats_of_copies() const { return copies_.floats(); }

  // Sets the tensors from a state, without the carried states. A segment that no piece of `state`
  // contains completely becomes zero. REQUIRES: Arrange was called; each piece lies inside the
  // table.
  Status Load(std::span<const SegmentSpan> state);
  // Writes the tensors to a state. Does not write its carried states. REQUIRES: Arrange was called;
  // state.size() == table().size().
  Status Store(std::span<float> state) const;

  // Return the values and the gradient of a parameter in its current layout. Valid until the next
  // Arrange that changes generation(). gradient() returns nullptr for moments, and for parameters
  // whose gradients the store consumes.
  float* weights(ParameterId id) {
    return IsShared(id) ? shared_.weights(SharedIndex(id)) : weights_.data() + tensors_[id].offset;
  }
  float* gradient(ParameterId id);

  // Returns whether the backward pass must pass the gradient of this parameter to ConsumeGradient
  // as soon as it is final. Its memory is then free for other gradients. The store keeps the
  // gradients of all parameters in these cases: Options::early_updates is false, the store
  // accumulates, or the update needs norms (nn/conf/gradient_norms.h). It also keeps the gradients
  // of weights that several layers share, and of embedding tables with touched().
  bool ConsumesGradient(ParameterId id) const {
    return !IsShared(id) && tensors_[id].consumes_gradient;
  }

  // Returns a copy of the weights in another layout or type. It is up to date after Arrange, Load
  // and Update. REQUIRES: the copy is one of the last Arrange. Valid as long as weights().
  void* copy(ParameterId id, const Layout& wanted) { return copies_.Find(id, wanted); }

  // Returns the rows of the gradient that the last backward pass wrote. Returns nullptr unless the
  // parameter is an embedding table whose other rows a step does not change
  // (KeepsRowsWithoutGradient).
  TouchedRows* touched(ParameterId id) {
    return IsShared(id) || !tensors_[id].touched ? nullptr : &*tensors_[id].touched;
  }

  // Adds the gradients of shared parameters to their owners' gradients. Must be called after each
  // backward pass.
  Status AddSharedGradients() { return shared_.AddGradients(); }

  // Adds up the gradients of a step's micro-batches, in their order. Must be called after
  // AddSharedGradients of each micro-batch. After the last one, gradient() is the sum. REQUIRES:
  // the store accumulates.
  struct MicroBatchPlace {
    bool first = false, last = false;
  };
  Status AccumulateGradients(const MicroBatchPlace& place);

  // Begin a pass, forward and backward, whose gradients either update the parameters or are
  // collected. Must be called before the backward pass. BeginCollection collects the gradients in
  // `gradients`, canonical, at the offsets of their segments. REQUIRES: `gradients` has a value for
  // each value of a parameter, and outlives the pass.
  void BeginUpdate(double learning_rate, int64_t update_count);
  void BeginCollection(std::span<float> gradients);
  // Updates the parameter, or collects its gradient if BeginCollection began the pass. Does nothing
  // if the parameter is frozen. The contents of `gradient` are unspecified afterwards. REQUIRES:
  // ConsumesGradient(id); `gradient` has the current layout
  // of the parameter; no step of the pass reads the weights after this call.
  Status ConsumeGradient(ParameterId id, float* gradient);
  // Allocates the memory that FinishUpdate needs for norms and constraints, if Arrange has moved
  // tensors. FinishUpdate calls it, too. An earlier call spares the next step the allocation.
  // REQUIRES: Arrange was called.
  Status BindUpdate();
  // Ends a pass that updates. Updates the parameters that ConsumeGradient has not updated and that
  // are not frozen, then applies the weight constraints. Then brings the values of shared
  // parameters and the copies of weights up to date. Allocates no memory after
  // BindUpdate, except for allocations inside oneDNN (BoundPrimitive::Run).
  Status FinishUpdate();
  // Ends a pass that collects. Collects the gradients that ConsumeGradient has not collected. Sets
  // the gradients of frozen parameters to zero, because the backward pass may not compute them.
  Status FinishCollection();

 private:
  struct Tensor {
    int segment = 0;
    std::array<int, kMaxUpdaterStates> states;  // segments; -1 means none
    int64_t offset = 0;                         // in weights_ and states_
    int64_t gradient_offset = -1;               // in gradients_ and accumulated_; -1: not there
    int64_t floats = 0;
    int layer = 0;  // index in the model
    bool trained = true;
    bool consumes_gradient = false;
    double l1 = 0, l2 = 0, weight_decay = 0, learning_rate_factor = 1;
    WeightConstraintConf constraint;
    double gradient_scale = 1, trust_ratio = 1;  // for the current step
    std::optional<TouchedRows> touched;
    Primitive to_kernel, to_canonical;  // empty if the layouts agree
  };
  // Tensors of kind parameter in their order, and the generation of the arrangement that they are
  // bound to.
  struct BoundTensors {
    CanonicalTensors tensors;
    int64_t generation = -1;
  };
  bool IsShared(ParameterId id) const { return id >= static_cast<int>(tensors_.size()); }
  int SharedIndex(ParameterId id) const { return id - static_cast<int>(tensors_.size()); }
  Status ArrangeTensors(const std::vector<ParameterLayout>& layouts);
  Status Place(const std::vector<ParameterLayout>& layouts);
  Status PlaceShared(const std::vector<ParameterLayout>& layouts);
  // Copy between a block of gradients and a canonical vector of all parameters, except those whose
  // gradients are not in the block.
  Status StoreGradients(const FloatBuffer& block, std::span<float> canonical) const;
  Status LoadGradients(std::span<const float> canonical, FloatBuffer& block) const;
  Status CollectGradient(const Tensor& tensor, const float* gradient);
  // Binds canonical tensors to a block. REQUIRES: the block has all parameters.
  Status BindTensors(const FloatBuffer& block, int64_t Tensor::*offset, BoundTensors& bound);
  // Computes the scales by which gradients are clipped by norm and normalized. Both act on
  // gradients that are already clipped by value.
  Status ScaleGradients();
  Status NormalizeGradients(float bound);
  Status SetTrustRatios();
  Status BindConstraints();
  // Returns whether a step with a gradient of zero leaves the tensor's values unchanged, bit for
  // bit, except subnormal ones.
  bool KeepsRowsWithoutGradient(const Tensor& tensor) const;
  // Returns whether other layers share the tensor, and so add to its gradient.
  bool HasSharers(const Tensor& tensor) const;
  void UpdateTensor(ParameterId id, float* gradient);
  UpdateTensors ViewOf(const Tensor& tensor, float* gradient);
  const Segment& SegmentOf(const Tensor& tensor) const { return table_.segments()[tensor.segment]; }

  const ModelConfig& model_;
  const Options options_;
  SegmentTable table_;
  std::vector<Tensor> tensors_;
  SharedParameters shared_;
  std::vector<ParameterLayout> layouts_;
  bool are_values_lost_ = false;  // an error ended Arrange after it had changed the layout
  FloatBuffer weights_, gradients_;
  FloatBuffer accumulated_;  // sum over the micro-batches of a step
  bool accumulating_ = false;
  std::array<FloatBuffer, kMaxUpdaterStates> states_;
  BoundTensors canonical_gradients_, canonical_weights_;
  WeightCopies copies_;
  WeightConstraints constraints_;
  int64_t constraints_generation_ = -1;  // generation that constraints_ is bound to
  bool trains_all_ = true;
  int64_t generation_ = 0;
  UpdateStep step_;             // of the current pass
  std::span<float> collected_;  // gradients of the current pass; empty if it updates
};

}  // namespace dl::nn
