// How a tensor of float32 lies in memory. oneDNN's kernels choose layouts of their own (blocked,
// padded); the rest of nn/ only passes them on, compares them and asks for their size.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dl::nn {

// An immutable description; cheap to copy. Default-constructed: none ("any", where a function takes
// it as a wish).
class Layout {
 public:
  Layout() = default;
  // Dense, row-major. REQUIRES: 1 to 6 dimensions, each positive.
  static Layout Plain(std::span<const int64_t> dims);

  bool empty() const { return impl_ == nullptr; }
  std::vector<int64_t> dims() const;
  int64_t elements() const;        // product of the dimensions
  int64_t storage_floats() const;  // with the padding of blocked layouts
  bool is_plain() const;           // equal to Plain(dims())
  bool operator==(const Layout& other) const;

  struct Impl;  // oneDNN's descriptor; defined in nn/backend only
  explicit Layout(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;  // shared because copies describe the same, immutable thing
};

}  // namespace dl::nn
