// std::visit with a lambda for each alternative. Without one for `auto`, an alternative that has
// none does not compile.
#pragma once

namespace dl {

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace dl
