// The interface of the implementation that a Primitive holds (nn/backend/primitive.h).
// nn/backend/onednn/ implements it with oneDNN's primitives, nn/backend/own/ with loops of
// nn/kernels. Only files of nn/backend and tests include this header.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "nn/backend/layout.h"
#include "nn/backend/primitive.h"

namespace dl::nn {

// The addresses of a kernel's buffers by role. Does not own them.
class BufferPointers {
 public:
  void Set(Role role, void* data) { data_[static_cast<size_t>(role)] = data; }
  // Returns the buffer of this role, or null if the kernel has no such buffer.
  template <class T>
  T* Get(Role role) const {
    return static_cast<T*>(data_[static_cast<size_t>(role)]);
  }

 private:
  std::array<void*, kRoles> data_ = {};
};

// A kernel with all of its buffers. Has the contract of BoundPrimitive.
class BoundKernel {
 public:
  virtual ~BoundKernel() = default;
  virtual Status Run() const = 0;
};

// An immutable implementation of an operation for one geometry.
class Kernel {
 public:
  using Layouts = std::map<Role, Layout>;
  // `name`: Primitive::name. `layouts`: the buffers that the kernel needs; each layout REQUIRES a
  // size greater than 0. `kind`: kKernel or kReorder.
  Kernel(std::string name, Layouts layouts, StepPart::Kind kind = StepPart::Kind::kKernel)
      : name_(std::move(name)), layouts_(std::move(layouts)), kind_(kind) {}
  virtual ~Kernel() = default;

  const std::string& name() const { return name_; }
  const Layouts& layouts() const { return layouts_; }
  StepPart::Kind kind() const { return kind_; }
  // Binds the kernel to buffers, which contain an address for each role of layouts(). Returns
  // Internal or ResourceExhausted if the implementation fails.
  virtual StatusOr<std::unique_ptr<const BoundKernel>> Bind(
      const BufferPointers& buffers) const = 0;

 private:
  std::string name_;
  Layouts layouts_;
  StepPart::Kind kind_;
};

}  // namespace dl::nn
