// A value that nobody changes any more and many hold: a copy counts, and copies nothing.
#pragma once

#include <memory>
#include <utility>

namespace dl {

// Thread-safe as std::shared_ptr is: the value may be read by all, a holder is one thread's.
template <typename T>
class Shared {
 public:
  Shared() = default;                                                       // T()
  Shared(T value) : value_(std::make_shared<const T>(std::move(value))) {}  // NOLINT: it is one

  const T& operator*() const {
    static const T& none = *new T();
    return value_ == nullptr ? none : *value_;
  }
  const T* operator->() const { return &**this; }

 private:
  std::shared_ptr<const T> value_;  // null: T()
};

}  // namespace dl
