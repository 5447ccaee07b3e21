// An immutable value with many holders. A copy of it only counts a reference.
#pragma once

#include <memory>
#include <utility>

namespace dl {

// As thread-safe as std::shared_ptr: several threads may read the value at a time. A holder must
// not be changed while another thread uses the same holder.
template <typename T>
class Shared {
 public:
  Shared() = default;                                                       // T()
  Shared(T value) : value_(std::make_shared<const T>(std::move(value))) {}  // NOLINT: implicit

  const T& operator*() const {
    static const T& none = *new T();
    return value_ == nullptr ? none : *value_;
  }
  const T* operator->() const { return &**this; }

 private:
  std::shared_ptr<const T> value_;  // null represents T()
};

}  // namespace dl
