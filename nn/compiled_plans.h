// The plans that a network has compiled, for batches of different shapes, and the arena that they
// share.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/float_buffer.h"
#include "base/status.h"
#include "nn/execution_plan.h"

namespace dl::nn {

// Not thread-safe.
class CompiledPlans {
 public:
  // REQUIRES: everything that `shared` refers to outlives the object.
  explicit CompiledPlans(ExecutionPlan::Shared shared);

  // Makes the plan for this shape the current plan: compiles it if necessary, moves parameters into
  // its layouts, and binds it to the arena. Keeps the 16 plans that were used last. Allocates
  // nothing if the plan is kept, and neither the arena nor the parameters have moved since it was
  // current. Returns the errors of ExecutionPlan::Create, ParameterStore::Arrange and
  // FloatBuffer::Create.
  Status Activate(const ExecutionPlan::Shape& shape);
  // Returns the plan of the last Activate. REQUIRES: it succeeded.
  ExecutionPlan& current() const { return *plans_.front().plan; }
  // Returns the size of the arena, which fits the largest plan so far.
  int64_t arena_floats() const { return arena_.size(); }

 private:
  struct Compiled {
    std::unique_ptr<ExecutionPlan> plan;
    // Generations that the plan is bound to.
    int64_t arena_generation = -1, parameter_generation = -1;
  };

  const ExecutionPlan::Shared shared_;
  FloatBuffer arena_;
  int64_t arena_generation_ = 0;
  std::vector<Compiled> plans_;  // most recently used first
};

}  // namespace dl::nn
