#include "nn/compiled_plans.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dl::nn {
namespace {

// The least recently used plan is dropped first.
constexpr size_t kMaxPlans = 16;

}  // namespace

CompiledPlans::CompiledPlans(ExecutionPlan::Shared shared) : shared_(std::move(shared)) {
  plans_.reserve(kMaxPlans);
}

Status CompiledPlans::Activate(const ExecutionPlan::Shape& shape) {
  auto found = std::ranges::find_if(
      plans_, [&](const Compiled& compiled) { return compiled.plan->shape() == shape; });
  if (found == plans_.end()) {
    DL_ASSIGN_OR_RETURN(auto plan, ExecutionPlan::Create(shared_, shape));
    if (plans_.size() == kMaxPlans) plans_.pop_back();
    plans_.push_back({.plan = std::move(plan)});
    found = std::prev(plans_.end());
  }
  std::rotate(plans_.begin(), found, std::next(found));
  Compiled& current = plans_.front();
  const auto floats = current.plan->arena_bytes() / static_cast<int64_t>(sizeof(float));
  if (floats > arena_.size()) {
    arena_ = FloatBuffer();  // frees the old arena first, because both may not fit in memory
    DL_ASSIGN_OR_RETURN(arena_, FloatBuffer::Create(floats));
    ++arena_generation_;
  }
  ParameterStore& parameters = shared_.parameters;
  DL_RETURN_IF_ERROR(
      parameters.Arrange(current.plan->parameter_layouts(), current.plan->weight_copies()));
  if (current.arena_generation == arena_generation_ &&
      current.parameter_generation == parameters.generation()) {
    return absl::OkStatus();
  }
  DL_RETURN_IF_ERROR(current.plan->Bind(arena_.data()));
  current.arena_generation = arena_generation_;
  current.parameter_generation = parameters.generation();
  return absl::OkStatus();
}

}  // namespace dl::nn
