// A compiled oneDNN primitive, and a primitive that is bound to buffers. The functions that return
// primitives (in this folder), and Bind, compile and allocate. They return Internal if oneDNN
// cannot build a primitive, and ResourceExhausted without memory. Run only computes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>

#include "base/status.h"
#include "nn/backend/layout.h"

namespace dl::nn {

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

using Buffers = std::initializer_list<std::pair<Role, void*>>;

// A primitive with all of its buffers. Empty if it is default-constructed or moved from. Movable.
// Run may be called from any thread, one thread at a time.
class BoundPrimitive {
 public:
  BoundPrimitive();
  ~BoundPrimitive();
  BoundPrimitive(BoundPrimitive&&) noexcept;
  BoundPrimitive& operator=(BoundPrimitive&&) noexcept;

  bool empty() const { return impl_ == nullptr; }
  // Executes the primitive. Returns Internal if oneDNN reports an error. Only oneDNN allocates: a
  // few small blocks of constant size, and a stream in the first call of a thread. REQUIRES: not
  // empty.
  Status Run() const;

  struct Impl;
  explicit BoundPrimitive(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

// Immutable after creation; cheap to copy. All functions except empty() REQUIRE a primitive that is
// not empty.
class Primitive {
 public:
  Primitive() = default;
  bool empty() const { return impl_ == nullptr; }
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

  struct Impl;
  explicit Primitive(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;  // shared with copies, because it is immutable
};

// Returns a primitive that copies a tensor from one layout to another with the same dimensions, bit
// for bit. Padding is set to zero.
StatusOr<Primitive> Reorder(const Layout& from, const Layout& to);

}  // namespace dl::nn
