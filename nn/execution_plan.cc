#include "nn/execution_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "nn/conf/activation_segments.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/model_outputs.h"
#include "nn/layers/counted_rows_only.h"

namespace dl::nn {

class ExecutionPlan::Builder : public PlanBuilder {
 public:
  explicit Builder(ExecutionPlan& plan) : plan_(plan) {}
  Purpose purpose() const override { return plan_.shape_.purpose; }
  ArenaPlan& arena() override { return plan_.arena_; }
  Precision precision() const override { return plan_.shared_.precision; }
  KernelSet kernels() const override { return plan_.shared_.kernels; }
  DataType OutputType() const override { return output_type_; }
  // Must be called before a node is planned forward. `type` is the type of its outputs.
  void BeginNode(DataType type) {
    output_type_ = type;
    claimed_.clear();
    carries_ = false;
  }
  StatusOr<ParameterId> Parameter(std::string_view layer, std::string_view name) override {
    return plan_.shared_.parameters.Find(layer, name);
  }
  Status SetParameterLayout(ParameterId id, const Layout& canonical,
                            const Layout& layout) override {
    const Segment& segment = SegmentOf(id);
    ParameterLayout& place = plan_.parameter_layouts_[id];
    if (!place.layout.empty()) {
      return Internal({.message = "two layers of the network claim the parameter " + segment.name});
    }
    if (canonical.elements() != segment.size || layout.stored_elements() < segment.size) {
      return Internal({.message = "the parameter " + segment.name + " has " +
                                  std::to_string(segment.size) + " values, but its layer has " +
                                  std::to_string(canonical.elements())});
    }
    place = {canonical, layout};
    claimed_.push_back(id);
    return absl::OkStatus();
  }
  void RequestWeightCopy(ParameterId id, const Layout& stored, const Layout& wanted) override {
    const WeightCopies::Request request{.id = id, .stored = stored, .wanted = wanted};
    if (std::ranges::find(plan_.weight_copies_, request) == plan_.weight_copies_.end())
      plan_.weight_copies_.push_back(request);
  }
  StatusOr<CarriedId> Carried(std::string_view layer, std::string_view name) override {
    carries_ = true;
    return plan_.shared_.carried.Find(layer, name);
  }

  // Return the parameters that layers have claimed since BeginNode, and whether they carry states.
  const std::vector<ParameterId>& claimed() const { return claimed_; }
  bool carries() const { return carries_; }
  // Without this check, an unclaimed parameter would not be trained and would overlap with the
  // next.
  Status CheckAllClaimed() const {
    for (ParameterId id = 0; id < plan_.shared_.parameters.count(); ++id) {
      if (!plan_.parameter_layouts_[id].layout.empty()) continue;
      return Internal(
          {.message = "no layer of the network claims the parameter " + SegmentOf(id).name});
    }
    return absl::OkStatus();
  }

 private:
  const Segment& SegmentOf(ParameterId id) const { return plan_.shared_.parameters.segment(id); }

  ExecutionPlan& plan_;
  std::vector<ParameterId> claimed_;
  bool carries_ = false;
  DataType output_type_ = DataType::kFloat32;
};

// A tensor that flows between layers, during planning.
struct ExecutionPlan::Value {
  Tensor tensor;
  int readers = 0;
  int segment = -1;  // of activations, in which it is computed; -1: an input of the model
  DataType type = DataType::kFloat32;  // in which a layer that can choose writes it
  bool needs_gradient = false;         // a layer before it has a trained parameter
  Tensor gradient;                     // sum of the gradients that its readers have added so far
};

namespace {

// Names the layer in the error of an operation that the kernels lack.
StatusOr<std::vector<Tensor>> NamedFor(const LoweredNode& node,
                                       StatusOr<std::vector<Tensor>> planned) {
  if (!absl::IsFailedPrecondition(planned.status())) return planned;
  return WithContext(planned.status(), "layer " + node.name);
}

}  // namespace

ExecutionPlan::~ExecutionPlan() = default;

StatusOr<std::unique_ptr<ExecutionPlan>> ExecutionPlan::Create(const Shared& shared, Shape shape) {
  std::unique_ptr<ExecutionPlan> plan(new ExecutionPlan(shared, std::move(shape)));
  DL_RETURN_IF_ERROR(plan->Plan());
  return plan;
}

Status ExecutionPlan::Plan() {
  Builder builder(*this);
  parameter_layouts_.resize(shared_.parameters.count());
  gradient_buffers_.resize(shared_.parameters.count(), kNoBuffer);
  LoweredModel lowered = LowerModel(shared_.model);
  ComputeCountedRowsOnly(lowered, shape_.capacities);
  std::vector<Value> values(lowered.values);
  for (LoweredNode& node : lowered.nodes) {
    for (const ValueId id : node.inputs) ++values[id].readers;
    auto layer = Compile(std::move(node.operation));
    nodes_.push_back({.lowered = std::move(node), .layer = std::move(layer)});
  }
  AssignSegments();
  if (shared_.precision == Precision::kBf16) ChooseTypes(lowered, values);

  for (size_t i = 0; i < lowered.inputs.size(); ++i) {
    const InputType& type = shared_.model.inputs[i].type;
    std::vector<int64_t> dims{shape_.batch};
    for (const int64_t extent : type.Shape()) dims.push_back(extent);
    if (type.IsSequence()) dims = {shape_.batch * type.Steps(), type.channels};
    Tensor& tensor = values[lowered.inputs[i]].tensor;
    tensor.layout = Layout::Plain(dims);
    tensor.buffer = arena_.Add(tensor.layout);
    input_buffers_.push_back(tensor.buffer);
  }

  for (Node& node : nodes_) DL_RETURN_IF_ERROR(PlanForward(builder, node, values));
  if (shape_.purpose == Purpose::kTraining) PlanMeasures(lowered, values);
  DL_RETURN_IF_ERROR(builder.CheckAllClaimed());
  DL_RETURN_IF_ERROR(PlanOutputs(lowered.outputs, values));
  if (shape_.purpose == Purpose::kTraining) {
    for (size_t i = nodes_.size(); i-- > 0;) {
      if (BeginsRepetition(i)) {
        const std::span<Node> segment = NodesOf(nodes_[i].segment);
        arena_.Repeat(segment.front().step, segment.back().step);
      }
      DL_RETURN_IF_ERROR(PlanBackward(builder, nodes_[i], values));
    }
  }
  arena_bytes_ = arena_.Place();
  return absl::OkStatus();
}

void ExecutionPlan::AssignSegments() {
  if (!shared_.checkpoint_activations || shape_.purpose == Purpose::kInference) return;
  const std::vector<int> segments = ActivationSegments(shared_.model);
  int current = 0;
  for (Node& node : nodes_) {
    const auto layer =
        std::ranges::find(shared_.model.layers, node.lowered.name, &LayerConfig::name);
    // A pass may have moved a node before a node of an earlier layer.
    if (layer != shared_.model.layers.end())
      current = std::max(current, segments[layer - shared_.model.layers.begin()]);
    node.segment = current;
  }
}

std::span<ExecutionPlan::Node> ExecutionPlan::NodesOf(int segment) {
  const auto begin = std::ranges::lower_bound(nodes_, segment, {}, &Node::segment);
  const auto end = std::ranges::upper_bound(nodes_, segment, {}, &Node::segment);
  return {begin, end};
}

bool ExecutionPlan::IsRepeated(int segment) const {
  if (segment == nodes_.back().segment) return false;  // its values exist when its gradients begin
  bool backward = false, carries = false;
  for (const Node& node : nodes_) {
    if (node.segment != segment) continue;
    backward = backward || node.backward;
    carries = carries || node.carries;  // the forward pass has changed the states
  }
  return backward && !carries;
}

bool ExecutionPlan::BeginsRepetition(size_t node) const {
  const int segment = nodes_[node].segment;
  const bool ends = node + 1 == nodes_.size() || nodes_[node + 1].segment != segment;
  return ends && IsRepeated(segment);
}

void ExecutionPlan::ChooseTypes(const LoweredModel& lowered, std::vector<Value>& values) const {
  for (Value& value : values) value.type = DataType::kBf16;
  for (const ValueId id : lowered.outputs) values[id].type = DataType::kFloat32;
  for (size_t i = nodes_.size(); i-- > 0;) {
    const LoweredNode& node = nodes_[i].lowered;
    const Bf16Support support = nodes_[i].layer->SupportOfBf16();
    const bool gives_float32 = std::ranges::any_of(
        node.outputs, [&](ValueId id) { return values[id].type == DataType::kFloat32; });
    if (support == Bf16Support::kNone || (support == Bf16Support::kKeeps && gives_float32)) {
      for (const ValueId id : node.inputs) values[id].type = DataType::kFloat32;
    }
  }
}

void ExecutionPlan::PlanMeasures(const LoweredModel& lowered, const std::vector<Value>& values) {
  std::vector<Node*> makers(values.size(), nullptr);
  for (Node& node : nodes_) {
    for (const ValueId id : node.lowered.outputs) makers[id] = &node;
  }
  for (size_t layer = 0; layer < lowered.layer_outputs.size(); ++layer) {
    const std::optional<ValueId> id = lowered.layer_outputs[layer];
    if (!id || makers[*id] == nullptr) continue;  // null: the layer passes an input of the model on
    const Tensor& output = values[*id].tensor;
    if (output.layout.type() == DataType::kFloat32 || output.layout.type() == DataType::kBf16) {
      makers[*id]->measured.push_back(
          {.layer = layer, .output = output, .counted_in = makers[*id]->lowered.counted_in});
    }
  }
}

// Losses are computed after all layers have run, so every output is kept until then.
Status ExecutionPlan::PlanOutputs(const std::vector<ValueId>& ids, std::vector<Value>& values) {
  const std::vector<ModelOutput> outputs = OutputsOf(shared_.model);
  DL_CHECK(outputs.size() == ids.size());
  arena_.Advance();
  for (size_t i = 0; i < ids.size(); ++i) {
    Value& value = values[ids[i]];
    const std::vector<int64_t> dims{value.tensor.layout.dims()[0], value.tensor.layout.dims()[1]};
    if (dims[1] != outputs[i].conf.units) {
      return Internal({.message = "layer " + outputs[i].name + " gives " + std::to_string(dims[1]) +
                                  " outputs, but its model has " +
                                  std::to_string(outputs[i].conf.units)});
    }
    OutputPlace& place = outputs_.emplace_back();
    place.given_buffer = value.tensor.buffer;
    place.given.rows = dims[0];
    place.given.outputs = dims[1];
    place.given.steps = capacity(i) > 0 ? 1 : dims[0] / shape_.batch;
    arena_.KeepAlways(place.given_buffer);
    if (shape_.purpose != Purpose::kTraining) continue;
    value.gradient.layout = Layout::Plain(dims);
    // A repetition overwrites values of its segment.
    const bool stays = !IsDivided() || std::ranges::none_of(values, [&](const Value& other) {
      return other.tensor.buffer == place.given_buffer && other.segment != nodes_.back().segment;
    });
    const bool in_place = !shared_.in_place.empty() && shared_.in_place[i] && stays;
    place.gradient_buffer = in_place ? place.given_buffer : arena_.Add(value.gradient.layout);
    value.gradient.buffer = place.gradient_buffer;
    // In the buffer of float32 values, of which the gradient in bf16 takes half.
    place.is_rounded = in_place && IsGradientRounded(ids[i], values);
    if (place.is_rounded) value.gradient.layout = Layout::Plain(dims, DataType::kBf16);
  }
  return absl::OkStatus();
}

bool ExecutionPlan::IsGradientRounded(ValueId id, const std::vector<Value>& values) const {
  for (int readers = 0;; readers = 1) {
    const auto maker = std::ranges::find_if(nodes_, [id](const Node& node) {
      return std::ranges::find(node.lowered.outputs, id) != node.lowered.outputs.end();
    });
    // Gradients of other readers are added in float32.
    if (maker == nodes_.end() || values[id].readers > readers) return false;
    const GradientUse use = maker->layer->UseOfGradient();
    if (use != GradientUse::kPassesOn) return use == GradientUse::kRounds;
    id = maker->lowered.inputs.front();
  }
}

Status ExecutionPlan::PlanForward(Builder& builder, Node& node, std::vector<Value>& values) {
  arena_.Advance();
  CompiledLayer& layer = *node.layer;
  bool needs_gradient = false;
  std::vector<Tensor> inputs;
  for (const ValueId id : node.lowered.inputs) {
    Value& value = values[id];
    // A repetition of this node's segment reads the value again.
    if (value.readers > 1 || (IsDivided() && value.segment != node.segment))
      value.tensor.keep = Tensor::Keep::kNeeded;
    needs_gradient = needs_gradient || value.needs_gradient;
    inputs.push_back(value.tensor);
  }
  if (layer.SupportOfBf16() == Bf16Support::kNone) {
    for (Tensor& input : inputs)
      DL_RETURN_IF_ERROR(PlanFloat32(builder, node.inputs_to_float32, input));
  }
  builder.BeginNode(values[node.lowered.outputs.front()].type);
  DL_ASSIGN_OR_RETURN(std::vector<Tensor> outputs,
                      NamedFor(node.lowered, layer.PlanForward(builder, inputs)));
  node.step = arena_.now();
  node.parameters = builder.claimed();
  node.carries = builder.carries();
  DL_CHECK(layer.HasParameters() == !node.parameters.empty());
  // Layers below the lowest trained layer have no backward step.
  needs_gradient = needs_gradient || std::ranges::any_of(node.parameters, [&](ParameterId id) {
                     return shared_.parameters.IsTrained(id);
                   });
  DL_CHECK(outputs.size() == node.lowered.outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    DL_CHECK(node.lowered.counted_in || outputs[i].layout.dims()[0] % shape_.batch == 0);
    Value& value = values[node.lowered.outputs[i]];
    value.tensor = std::move(outputs[i]);
    value.segment = node.segment;
    value.needs_gradient = needs_gradient;
  }
  node.backward = needs_gradient && shape_.purpose == Purpose::kTraining;
  return absl::OkStatus();
}

Status ExecutionPlan::PlanFloat32(Builder& builder, std::vector<Conversion>& conversions,
                                  Tensor& tensor) {
  if (tensor.empty() || tensor.layout.type() != DataType::kBf16) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(tensor, conversions.emplace_back().Plan(
                                  builder, tensor, tensor.layout.As(DataType::kFloat32)));
  return absl::OkStatus();
}

// All readers of the node's outputs have been planned before, so their gradients are complete.
Status ExecutionPlan::PlanBackward(Builder& builder, Node& node, std::vector<Value>& values) {
  if (!node.backward) return absl::OkStatus();
  arena_.Advance();
  std::vector<Tensor> gradients;
  for (const ValueId id : node.lowered.outputs) gradients.push_back(values[id].gradient);
  // A layer that leads to no loss would use gradients of an earlier step.
  DL_CHECK(std::any_of(gradients.begin(), gradients.end(),
                       [](const Tensor& gradient) { return !gradient.empty(); }));
  if (node.layer->SupportOfBf16() == Bf16Support::kNone) {
    for (Tensor& gradient : gradients)
      DL_RETURN_IF_ERROR(PlanFloat32(builder, node.gradients_to_float32, gradient));
  }
  PlanConsumedGradients(node);
  std::vector<InputGradient> needed;
  for (const ValueId id : node.lowered.inputs)
    needed.push_back(values[id].needs_gradient ? InputGradient::kNeeded : InputGradient::kUnused);
  DL_ASSIGN_OR_RETURN(const std::vector<Tensor> by_inputs,
                      NamedFor(node.lowered, node.layer->PlanBackward(builder, gradients, needed)));
  DL_CHECK(by_inputs.size() == needed.size());
  for (size_t i = 0; i < needed.size(); ++i) {
    if (needed[i] == InputGradient::kUnused) continue;
    Tensor& sum = values[node.lowered.inputs[i]].gradient;
    if (sum.empty()) {
      sum = by_inputs[i];
    } else {
      DL_ASSIGN_OR_RETURN(sum, node.sums.emplace_back().Plan(builder, sum, by_inputs[i]));
    }
  }
  return absl::OkStatus();
}

// The layer and the updater need the gradients in the same step.
void ExecutionPlan::PlanConsumedGradients(Node& node) {
  for (const ParameterId id : node.parameters) {
    if (!shared_.parameters.ConsumesGradient(id)) continue;
    gradient_buffers_[id] = arena_.Add(parameter_layouts_[id].layout);
    node.consumed.push_back({.parameter = id, .buffer = gradient_buffers_[id]});
  }
}

}  // namespace dl::nn
