// The layout of a tensor in memory. oneDNN's kernels choose layouts, which may be blocked or
// padded. The rest of nn/ uses the dimensions, type and size of a layout, and compares layouts.
// Only nn/backend sees how the elements are arranged.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "nn/backend/data_type.h"

namespace dl::nn {

// Images or volumes [n, c, axes...] in memory as [planes][axes...][inner], without gaps. `inner`
// numbers of each pixel are contiguous: 1 in plain layouts, all channels if channels come last, or
// a block of channels. The last block of an example is padded with zeros.
struct PlanesInMemory {
  int64_t planes = 0, inner = 0;
};

// An immutable description, cheap to copy. A default-constructed layout is empty; functions that
// accept it treat it as "any layout". Two empty layouts are equal. All methods except empty() and
// comparison REQUIRE a layout that is not empty.
class Layout {
 public:
  Layout() = default;
  // Returns a dense, row-major layout. REQUIRES: 1 to 6 dimensions, each positive, and a type other
  // than kFloat64, which oneDNN 2 lacks.
  static Layout Plain(std::span<const int64_t> dims, DataType type = DataType::kFloat32);
  // Returns the layout of float32 values in which axis i has the distance strides[i], in values.
  // REQUIRES: the values fill memory without gaps.
  static Layout Strided(std::span<const int64_t> dims, std::span<const int64_t> strides);
  // Returns the layout of float32 images or volumes [n, c, axes...] in memory as [n][axes...][c].
  // Returns Plain(dims) if it is the same memory.
  static Layout ChannelsLast(std::span<const int64_t> dims);
  // Returns the same arrangement for values of another type. REQUIRES: not kFloat64.
  Layout As(DataType type) const;

  bool empty() const { return impl_ == nullptr; }
  std::vector<int64_t> dims() const;
  DataType type() const;
  int64_t elements() const;         // product of the dimensions
  int64_t stored_elements() const;  // including the padding of blocked layouts
  int64_t bytes() const { return stored_elements() * BytesOf(type()); }
  bool is_plain() const;  // equal to Plain(dims(), type())
  bool operator==(const Layout& other) const;

  // Returns the distances of a layout without blocks and padding, as for Strided. None for others.
  std::optional<std::vector<int64_t>> Strides() const;
  // Returns how the layout arranges images or volumes. None if it is another arrangement, or if the
  // layout does not have 4 or 5 dimensions.
  std::optional<PlanesInMemory> ImagePlanes() const;
  // Returns the same arrangement for images with other axes. REQUIRES: ImagePlanes() returns a
  // value, and as many axes as this layout has.
  Layout WithAxes(std::span<const int64_t> axes) const;

  struct Impl;  // oneDNN's descriptor; defined only in nn/backend/onednn
  explicit Layout(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;  // shared, because copies describe the same immutable layout
};

}  // namespace dl::nn
