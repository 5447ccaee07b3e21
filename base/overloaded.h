// Combines lambdas for std::visit, one per alternative. If an alternative has no lambda and no
// lambda takes `auto`, the call does not compile.
#pragma once

namespace dl {

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace dl
