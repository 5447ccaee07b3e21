// A compiled oneDNN primitive, and the same bound to buffers. Everything that can fail or allocate
// happens in Create functions and Bind; Run only computes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>

#include "base/status.h"
#include "nn/backend/layout.h"

namespace dl::nn {

// What a buffer is to a primitive.
enum class Role : uint8_t {
  kSource,
  kWeights,
  kBias,
  kDestination,
  kDiffSource,
  kDiffWeights,
  kDiffBias,
  kDiffDestination,
  kWorkspace,  // written by the forward primitive, read by the backward one
  kScratchpad,
  kMean,
  kVariance,
  kScale,
  kShift,
  kDiffScale,
  kDiffShift,
};

using Buffers = std::initializer_list<std::pair<Role, void*>>;

// A primitive with all of its buffers: Run computes. Movable; Run may be called from any thread,
// one at a time.
class BoundPrimitive {
 public:
  BoundPrimitive();
  ~BoundPrimitive();
  BoundPrimitive(BoundPrimitive&&) noexcept;
  BoundPrimitive& operator=(BoundPrimitive&&) noexcept;

  bool empty() const { return impl_ == nullptr; }
  // Internal when oneDNN refuses. Allocates nothing of ours; oneDNN makes a few small, constant
  // allocations.
  Status Run() const;

  struct Impl;
  explicit BoundPrimitive(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

// Immutable once created; cheap to copy.
class Primitive {
 public:
  Primitive() = default;
  bool empty() const { return impl_ == nullptr; }
  // The layout that the buffer of this role must have; empty when the primitive has no such buffer.
  Layout layout(Role role) const;
  int64_t storage_floats(
      Role role) const;  // 0 when there is none; workspace and scratchpad in floats, rounded up
  // InvalidArgument when a needed buffer is missing. Buffers of roles that the primitive lacks are
  // ignored. Buffers are aligned to 64 bytes, sized storage_floats(role), and outlive the result.
  StatusOr<BoundPrimitive> Bind(Buffers buffers) const;

  struct Impl;
  explicit Primitive(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;  // shared with copies: immutable
};

// Copies a tensor from one layout into another of the same dimensions, bit for bit; padding is
// zeroed.
StatusOr<Primitive> Reorder(const Layout& from, const Layout& to);

}  // namespace dl::nn
