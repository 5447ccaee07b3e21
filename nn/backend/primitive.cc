#include "nn/backend/primitive.h"

#include "nn/backend/kernel.h"
#include "nn/backend/kernel_names.h"

namespace dl::nn {

BoundPrimitive::BoundPrimitive() = default;
BoundPrimitive::~BoundPrimitive() = default;
BoundPrimitive::BoundPrimitive(BoundPrimitive&&) noexcept = default;
BoundPrimitive& BoundPrimitive::operator=(BoundPrimitive&&) noexcept = default;
BoundPrimitive::BoundPrimitive(std::shared_ptr<const Kernel> compiled,
                               std::unique_ptr<const BoundKernel> kernel)
    : compiled_(std::move(compiled)), kernel_(std::move(kernel)) {
  part_ = {.kind = compiled_->kind(), .name = compiled_->name()};
  if (part_.kind != StepPart::Kind::kReorder) return;
  for (const auto& [role, layout] : compiled_->layouts()) part_.bytes += layout.bytes();
}

Status BoundPrimitive::Run() const {
  const ObservedPart part(part_);
  return kernel_->Run();
}

const std::string& Primitive::name() const { return kernel_->name(); }

Layout Primitive::layout(Role role) const {
  const auto it = kernel_->layouts().find(role);
  return it == kernel_->layouts().end() ? Layout() : it->second;
}

int64_t Primitive::storage_floats(Role role) const {
  const auto it = kernel_->layouts().find(role);
  return it == kernel_->layouts().end() ? 0 : (it->second.bytes() + 3) / 4;
}

StatusOr<BoundPrimitive> Primitive::Bind(Buffers buffers) const {
  BufferPointers pointers;
  for (const auto& [role, layout] : kernel_->layouts()) {
    void* data = nullptr;
    for (const auto& [given, pointer] : buffers) {
      if (given == role) data = pointer;
    }
    if (data == nullptr) {
      return InvalidArgument({.message = "a primitive lacks its buffer of role " +
                                         std::to_string(static_cast<int>(role))});
    }
    pointers.Set(role, data);
  }
  DL_ASSIGN_OR_RETURN(auto bound, kernel_->Bind(pointers));
  AddKernelName(kernel_->name());
  return BoundPrimitive(kernel_, std::move(bound));
}

}  // namespace dl::nn
