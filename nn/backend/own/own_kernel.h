// Kernels of Paravane: loops of nn/kernels on plain pointers as Primitives.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "nn/backend/kernel.h"

namespace dl::nn {

// A kernel that calls `run(buffers)` on the buffers that it is bound to. `run` is copied into each
// bound kernel. It must be able to run in any thread, must not fail, and should not allocate.
template <class Function>
class OwnKernel final : public Kernel {
 public:
  OwnKernel(std::string name, Layouts layouts, StepPart::Kind kind, Function run)
      : Kernel(std::move(name), std::move(layouts), kind), run_(std::move(run)) {}

  StatusOr<std::unique_ptr<const BoundKernel>> Bind(const BufferPointers& buffers) const override {
    return std::unique_ptr<const BoundKernel>(std::make_unique<Bound>(run_, buffers));
  }

 private:
  class Bound final : public BoundKernel {
   public:
    Bound(const Function& run, const BufferPointers& buffers) : run_(run), buffers_(buffers) {}
    Status Run() const override {
      run_(buffers_);
      return absl::OkStatus();
    }

   private:
    Function run_;
    BufferPointers buffers_;
  };

  Function run_;
};

// Returns a primitive with the name "own:`operation`".
template <class Function>
Primitive OwnPrimitive(const std::string& operation, Kernel::Layouts layouts, Function run,
                       StepPart::Kind kind = StepPart::Kind::kKernel) {
  return Primitive(std::make_shared<const OwnKernel<Function>>(
      "own:" + operation, std::move(layouts), kind, std::move(run)));
}

}  // namespace dl::nn
