// Reports the parts of a training step while they are computed: layers, kernels, losses and the
// update. Used for profiles. An observer reads the clocks that it needs; without an observer, a
// part costs one comparison.
#pragma once

#include <cstdint>
#include <string_view>

namespace dl::nn {

struct StepPart {
  enum class Kind : uint8_t {
    kInputs,    // copies the features into the buffers of the model's inputs
    kForward,   // of a layer
    kBackward,  // of a layer
    kLosses,    // losses of all outputs, and their gradients
    kUpdate,    // of the parameters of a layer after its backward step, or of all others at the end
    kKernel,    // a primitive (nn/backend/primitive.h); lies within another part
    kReorder,   // a primitive that copies a tensor to another layout; lies within another part
  };
  Kind kind = Kind::kKernel;
  // kForward and kBackward: the name of the model's layer. kKernel and kReorder: the name of the
  // kernel. Otherwise empty. Valid until the end of the part.
  std::string_view name;
  int64_t bytes = 0;  // of kReorder: the sizes of source and destination together
};

// Parts are nested: each End belongs to the last Begin without End. The thread that computes the
// step calls both functions. A step that fails ends its open parts.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void Begin(const StepPart& part) = 0;
  virtual void End() = 0;
};

// Reports the parts that this thread computes to `observer`, until the destruction. Null: to none.
// REQUIRES: `observer` outlives this object; the same thread destroys it.
class ObserverScope {
 public:
  explicit ObserverScope(StepObserver* observer);
  ~ObserverScope();
  ObserverScope(const ObserverScope&) = delete;
  ObserverScope& operator=(const ObserverScope&) = delete;

 private:
  StepObserver* const before_;
};

// Begins a part, and ends it on destruction. Does nothing if this thread has no observer.
class ObservedPart {
 public:
  explicit ObservedPart(const StepPart& part);
  ~ObservedPart() {
    if (observer_ != nullptr) observer_->End();
  }
  ObservedPart(const ObservedPart&) = delete;
  ObservedPart& operator=(const ObservedPart&) = delete;

 private:
  StepObserver* const observer_;
};

}  // namespace dl::nn
