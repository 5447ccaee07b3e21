#include "nn/execution_plan.h"

#include <string>

#include "nn/conf/layers/output.h"
#include "nn/layers/flatten.h"
#include "nn/layers/lowering.h"

namespace dl::nn {

class ExecutionPlan::Builder : public PlanBuilder {
 public:
  explicit Builder(ExecutionPlan& plan) : plan_(plan) {}
  ArenaPlan& arena() override { return plan_.arena_; }
  StatusOr<ParameterId> Parameter(std::string_view layer, std::string_view name) override {
    return plan_.parameters_.Find(layer, name);
  }
  Status SetParameterLayout(ParameterId id, const Layout& canonical,
                            const Layout& layout) override {
    const Segment& segment = SegmentOf(id);
    ParameterLayout& place = plan_.parameter_layouts_[id];
    if (!place.layout.empty()) {
      return Internal({.message = "two layers of the network claim the parameter " + segment.name});
    }
    if (canonical.elements() != segment.size || layout.storage_floats() < segment.size) {
      return Internal({.message = "the parameter " + segment.name + " has " +
                                  std::to_string(segment.size) + " values, and its layer " +
                                  std::to_string(canonical.elements())});
    }
    place = {canonical, layout};
    ++claims_;
    return absl::OkStatus();
  }

  int claims() const { return claims_; }
  // A parameter that nobody claimed would be trained by nobody, and lie where the next one does.
  Status CheckAllClaimed() const {
    for (ParameterId id = 0; id < plan_.parameters_.count(); ++id) {
      if (!plan_.parameter_layouts_[id].layout.empty()) continue;
      return Internal(
          {.message = "no layer of the network claims the parameter " + SegmentOf(id).name});
    }
    return absl::OkStatus();
  }

 private:
  const Segment& SegmentOf(ParameterId id) const {
    return plan_.parameters_.table().segments()[id];
  }

  ExecutionPlan& plan_;
  int claims_ = 0;
};

class ExecutionPlan::Memory : public PlanMemory {
 public:
  Memory(ExecutionPlan& plan, float* arena) : plan_(plan), arena_(arena) {}
  float* Buffer(BufferId id) const override {
    return id == kNoBuffer ? nullptr : arena_ + plan_.arena_.offset(id);
  }
  float* Parameter(ParameterId id) const override { return plan_.parameters_.weights(id); }
  float* Gradient(ParameterId id) const override { return plan_.parameters_.gradient(id); }

 private:
  ExecutionPlan& plan_;
  float* arena_;
};

ExecutionPlan::ExecutionPlan(const ModelConfig& model, ParameterStore& parameters, int64_t batch)
    : model_(model), parameters_(parameters), batch_(batch) {}
ExecutionPlan::~ExecutionPlan() = default;

StatusOr<std::unique_ptr<ExecutionPlan>> ExecutionPlan::Create(const ModelConfig& model,
                                                               ParameterStore& parameters,
                                                               int64_t batch) {
  std::unique_ptr<ExecutionPlan> plan(new ExecutionPlan(model, parameters, batch));
  DL_RETURN_IF_ERROR(plan->Plan());
  return plan;
}

Status ExecutionPlan::Plan() {
  Builder builder(*this);
  parameter_layouts_.resize(parameters_.count());
  std::vector<int64_t> dims{batch_};
  for (const int64_t extent : model_.input.Shape()) dims.push_back(extent);
  Tensor tensor{.layout = Layout::Plain(dims)};
  tensor.buffer = input_buffer_ = arena_.Add(tensor.layout.storage_floats());
  layers_ = LowerModel(model_);
  first_trained_ = layers_.size();
  for (size_t i = layers_.size(); i-- > 0;) {
    if (layers_[i]->HasParameters()) first_trained_ = i;
  }
  for (const auto& layer : layers_) {
    arena_.Advance();
    const int claims = builder.claims();
    DL_ASSIGN_OR_RETURN(tensor, layer->PlanForward(builder, tensor));
    // Without HasParameters a layer gets no backward step where it is the first one.
    DL_CHECK(layer->HasParameters() == (builder.claims() > claims));
    DL_CHECK(tensor.layout.dims()[0] == batch_);
  }
  DL_RETURN_IF_ERROR(builder.CheckAllClaimed());
  arena_.Advance();
  to_rows_ = CompileFlatten();
  DL_ASSIGN_OR_RETURN(tensor, to_rows_->PlanForward(builder, tensor));
  output_count_ = tensor.layout.dims()[1];
  if (output_count_ != model_.output().units) {
    return Internal({.message = "the network gives " + std::to_string(output_count_) +
                                " outputs, and its model has " +
                                std::to_string(model_.output().units)});
  }
  output_buffer_ = tensor.buffer;
  arena_.KeepAlways(output_buffer_);
  return PlanBackward(builder);
}

Status ExecutionPlan::PlanBackward(Builder& builder) {
  arena_.Advance();
  Tensor gradient{.layout = Layout::Plain(std::vector<int64_t>{batch_, output_count_})};
  gradient.buffer = gradient_buffer_ = arena_.Add(gradient.layout.storage_floats());
  DL_ASSIGN_OR_RETURN(gradient, to_rows_->PlanBackward(builder, gradient, InputGradient::kNeeded));
  for (size_t i = layers_.size(); i-- > first_trained_;) {
    arena_.Advance();
    const auto needed = i == first_trained_ ? InputGradient::kUnused : InputGradient::kNeeded;
    DL_ASSIGN_OR_RETURN(gradient, layers_[i]->PlanBackward(builder, gradient, needed));
  }
  arena_floats_ = arena_.Place();
  return absl::OkStatus();
}

Status ExecutionPlan::Bind(float* arena) {
  const Memory memory(*this, arena);
  for (const auto& layer : layers_) DL_RETURN_IF_ERROR(layer->Bind(memory));
  DL_RETURN_IF_ERROR(to_rows_->Bind(memory));
  input_ = memory.Buffer(input_buffer_);
  outputs_ = memory.Buffer(output_buffer_);
  loss_gradient_ = memory.Buffer(gradient_buffer_);
  return absl::OkStatus();
}

Status ExecutionPlan::Forward(const Pass& pass) {
  for (const auto& layer : layers_) DL_RETURN_IF_ERROR(layer->Forward(pass));
  return to_rows_->Forward(pass);
}

Status ExecutionPlan::Backward(const Pass& pass) {
  DL_RETURN_IF_ERROR(to_rows_->Backward(pass));
  for (size_t i = layers_.size(); i-- > first_trained_;)
    DL_RETURN_IF_ERROR(layers_[i]->Backward(pass));
  return absl::OkStatus();
}

}  // namespace dl::nn
