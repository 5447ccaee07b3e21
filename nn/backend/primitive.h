// An operation that is compiled for one geometry, and an operation that is bound to buffers. Both
// hold a kernel of oneDNN or of this project (nn/backend/kernel.h), which callers need not know.
// The functions that return primitives (in this folder), and Bind, compile and allocate. They
// return Internal if oneDNN cannot build a primitive, ResourceExhausted without memory, and
// FailedPrecondition if the portable kernels lack the operation. Run only computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "nn/backend/layout.h"
#include "nn/backend/step_observer.h"

namespace dl::nn {

class BoundKernel;
class Kernel;

// The role of a buffer for a primitive.
enum class Role : uint8_t {
  kSource,
  kWeights,
  kBias,
  kDestination,
  kDiffSource,
  kDiffWeights,
  kDiffBias,
  kDiffDestination,
  kWorkspace,  // written by the forward primitive, read by the backward primitive
  kScratchpad,
  kMean,
  kVariance,
  kScale,
  kShift,
  kDiffScale,
  kDiffShift,
};
constexpr size_t kRoles = static_cast<size_t>(Role::kDiffShift) + 1;

using Buffers = std::initializer_list<std::pair<Role, void*>>;

// A primitive with all of its buffers. Empty if it is default-constructed or moved from. Movable.
// Run may be called from any thread, one thread at a time.
class BoundPrimitive {
 public:
  BoundPrimitive();
  ~BoundPrimitive();
  BoundPrimitive(BoundPrimitive&&) noexcept;
  BoundPrimitive& operator=(BoundPrimitive&&) noexcept;

  bool empty() const { return kernel_ == nullptr; }
  // Executes the primitive. Returns Internal if oneDNN reports an error. Only oneDNN's kernels
  // allocate: a few small blocks of constant size, and a stream in the first call of a thread.
  // REQUIRES: not empty.
  Status Run() const;

  // `kernel`: the result of compiled->Bind().
  BoundPrimitive(std::shared_ptr<const Kernel> compiled, std::unique_ptr<const BoundKernel> kernel);

 private:
  std::shared_ptr<const Kernel> compiled_;  // owns the name in part_
  std::unique_ptr<const BoundKernel> kernel_;
  StepPart part_;  // what the observer of a step learns
};

// Immutable after creation; cheap to copy. All functions except empty() REQUIRE a primitive that is
// not empty.
class Primitive {
 public:
  Primitive() = default;
  bool empty() const { return kernel_ == nullptr; }
  // Returns the name of the kernel: oneDNN's names of operation, direction and implementation, for
  // example "convolution backward_weights jit:avx512_core", or "own:" and the operation, for
  // example "own:max_pool".
  const std::string& name() const;
  // Returns the layout that the buffer of this role must have. Empty if the primitive has no such
  // buffer.
  Layout layout(Role role) const;
  // Returns the size of the buffer of this role in units of 4 bytes, whatever its type, rounded up.
  // 0 if the primitive has no such buffer.
  int64_t storage_floats(Role role) const;
  // Binds the primitive to buffers. Each must be aligned to 64 bytes (buffers of a Reorder: to 4),
  // have storage_floats(role) floats, and outlive the result. Buffers of roles that the primitive
  // lacks are ignored. Returns InvalidArgument if a buffer is missing.
  StatusOr<BoundPrimitive> Bind(Buffers buffers) const;

  explicit Primitive(std::shared_ptr<const Kernel> kernel) : kernel_(std::move(kernel)) {}

 private:
  std::shared_ptr<const Kernel> kernel_;  // shared with copies, because it is immutable
};

// Returns a primitive that copies a tensor from one layout to another with the same dimensions.
// Values keep their bits if both layouts have one type. Otherwise they are converted to the type of
// `to`, for example rounded from float32 to bf16. Padding is set to zero.
StatusOr<Primitive> Reorder(const Layout& from, const Layout& to);

}  // namespace dl::nn
