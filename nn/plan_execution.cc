// ExecutionPlan after planning: binding to memory, and the passes.
#include "nn/backend/kernel_names.h"
#include "nn/backend/step_observer.h"
#include "nn/execution_plan.h"

namespace dl::nn {

class ExecutionPlan::Memory : public PlanMemory {
 public:
  Memory(ExecutionPlan& plan, void* arena) : plan_(plan), arena_(static_cast<std::byte*>(arena)) {}
  // Must be called before a node is bound.
  void BeginNode(const Node& node) { lengths_ = plan_.shared_.lengths.Of(*node.lowered.lengths); }
  void* Untyped(BufferId id) const override {
    return id == kNoBuffer ? nullptr : arena_ + plan_.arena_.offset(id);
  }
  float* Parameter(ParameterId id) const override { return plan_.shared_.parameters.weights(id); }
  float* Gradient(ParameterId id) const override {
    const BufferId buffer = plan_.gradient_buffers_[id];
    return buffer == kNoBuffer ? plan_.shared_.parameters.gradient(id) : Buffer(buffer);
  }
  void* WeightCopy(ParameterId id, const Layout& wanted) const override {
    return plan_.shared_.parameters.copy(id, wanted);
  }
  TouchedRows* Touched(ParameterId id) const override {
    return plan_.shared_.parameters.touched(id);
  }
  float* Carried(CarriedId id) const override {
    return plan_.shared_.carried.rows(id, plan_.shape_.purpose);
  }
  const int32_t* Lengths() const override { return lengths_; }
  const std::vector<int32_t>& CountedRows(size_t output) const override {
    return plan_.shared_.counted.Of(output);
  }

 private:
  void* Typed(BufferId id, DataType type) const override {
    DL_CHECK(id == kNoBuffer || plan_.arena_.type(id) == type);
    return Untyped(id);
  }

  ExecutionPlan& plan_;
  std::byte* arena_;
  const int32_t* lengths_ = nullptr;
};

Status ExecutionPlan::Bind(void* arena) {
  Memory memory(*this, arena);
  for (Node& node : nodes_) {
    memory.BeginNode(node);
    node.kernels.clear();
    const KernelNamesScope names(node.kernels);
    for (Conversion& conversion : node.inputs_to_float32)
      DL_RETURN_IF_ERROR(conversion.Bind(memory));
    for (Conversion& conversion : node.gradients_to_float32)
      DL_RETURN_IF_ERROR(conversion.Bind(memory));
    DL_RETURN_IF_ERROR(node.layer->Bind(memory));
    for (TensorSum& sum : node.sums) DL_RETURN_IF_ERROR(sum.Bind(memory));
    for (Measured& measured : node.measured)
      measured.values = memory.Untyped(measured.output.buffer);
    for (ConsumedGradient& gradient : node.consumed)
      gradient.values = memory.Buffer(gradient.buffer);
  }
  inputs_.clear();
  for (const BufferId buffer : input_buffers_) inputs_.push_back(memory.Buffer(buffer));
  for (OutputPlace& output : outputs_) {
    output.given.values = memory.Buffer(output.given_buffer);
    output.gradient = memory.Buffer(output.gradient_buffer);
    output.rounded = output.is_rounded
                         ? static_cast<uint16_t*>(memory.Untyped(output.gradient_buffer))
                         : nullptr;
  }
  return absl::OkStatus();
}

std::vector<LayerKernels> ExecutionPlan::kernels() const {
  std::vector<LayerKernels> kernels;
  for (const Node& node : nodes_) {
    if (!node.kernels.empty()) kernels.push_back({node.lowered.name, node.kernels});
  }
  return kernels;
}

Outputs ExecutionPlan::outputs(size_t output) const {
  Outputs outputs = outputs_[output].given;
  if (capacity(output) > 0) outputs.rows = static_cast<int64_t>(shared_.counted.Of(output).size());
  return outputs;
}

Status ExecutionPlan::RunForward(const Node& node, const Pass& pass) {
  for (const Conversion& conversion : node.inputs_to_float32) DL_RETURN_IF_ERROR(conversion.Run());
  return node.layer->Forward(pass);
}

Status ExecutionPlan::Forward(const Pass& pass, ActivationHistograms* activations) {
  DL_CHECK(pass.Training() == (shape_.purpose == Purpose::kTraining));
  for (const Node& node : nodes_) {
    {
      const ObservedPart part({.kind = StepPart::Kind::kForward, .name = node.lowered.name});
      DL_RETURN_IF_ERROR(RunForward(node, pass));
    }
    if (activations == nullptr) continue;
    // Later nodes may overwrite the outputs.
    for (const Measured& measured : node.measured) {
      const Layout& layout = measured.output.layout;
      int64_t rows = layout.dims()[0];
      if (measured.counted_in)
        rows = static_cast<int64_t>(shared_.counted.Of(*measured.counted_in).size());
      activations->Add(measured.layer, {layout, rows}, measured.values);
    }
  }
  return absl::OkStatus();
}

void ExecutionPlan::AddPenalties(int64_t counted, MetricSums& sums) const {
  for (const Node& node : nodes_) node.layer->AddPenalties(counted, sums);
}

Status ExecutionPlan::Backward(const Pass& pass) {
  for (size_t i = nodes_.size(); i-- > 0;) {
    if (BeginsRepetition(i)) DL_RETURN_IF_ERROR(Repeat(nodes_[i].segment, pass));
    const Node& node = nodes_[i];
    if (!node.backward) continue;
    {
      const ObservedPart part({.kind = StepPart::Kind::kBackward, .name = node.lowered.name});
      for (const Conversion& conversion : node.gradients_to_float32)
        DL_RETURN_IF_ERROR(conversion.Run());
      DL_RETURN_IF_ERROR(node.layer->Backward(pass));
      for (const TensorSum& sum : node.sums) DL_RETURN_IF_ERROR(sum.Run());
    }
    DL_RETURN_IF_ERROR(ConsumeGradients(node));
  }
  return absl::OkStatus();
}

Status ExecutionPlan::Repeat(int segment, const Pass& pass) {
  Pass again = pass;
  again.mode = Pass::Mode::kGradientOnly;  // running moments have changed already
  for (const Node& node : NodesOf(segment)) {
    const ObservedPart part({.kind = StepPart::Kind::kForward, .name = node.lowered.name});
    DL_RETURN_IF_ERROR(RunForward(node, again));
  }
  return absl::OkStatus();
}

Status ExecutionPlan::ConsumeGradients(const Node& node) {
  if (node.consumed.empty()) return absl::OkStatus();
  const ObservedPart part({.kind = StepPart::Kind::kUpdate});
  for (const ConsumedGradient& gradient : node.consumed)
    DL_RETURN_IF_ERROR(shared_.parameters.ConsumeGradient(gradient.parameter, gradient.values));
  return absl::OkStatus();
}

}  // namespace dl::nn
