// The members of OneOf, for the source that instantiates them for its alternatives.
#pragma once

#include <utility>

#include "base/one_of.h"

namespace dl {

template <typename Alternatives>
OneOf<Alternatives>::OneOf() {}
template <typename Alternatives>
OneOf<Alternatives>::OneOf(const OneOf& other) : Variant(other) {}
template <typename Alternatives>
OneOf<Alternatives>::OneOf(OneOf&& other) noexcept : Variant(std::move(other)) {}
template <typename Alternatives>
OneOf<Alternatives>& OneOf<Alternatives>::operator=(const OneOf& other) {
  Variant::operator=(other);
  return *this;
}
template <typename Alternatives>
OneOf<Alternatives>& OneOf<Alternatives>::operator=(OneOf&& other) noexcept {
  Variant::operator=(std::move(other));
  return *this;
}
template <typename Alternatives>
OneOf<Alternatives>::~OneOf() {}

template <typename Alternatives>
bool OneOf<Alternatives>::Equals(const OneOf& other) const {
  if constexpr (kComparable)
    return static_cast<const Variant&>(*this) == static_cast<const Variant&>(other);
  else
    return false;  // never called
}

template <typename... T>
std::variant<T...> MoveFrom(size_t index, void* value, const std::variant<T...>*) {
  using Move = std::variant<T...> (*)(void*);
  constexpr std::array<Move, sizeof...(T)> kMoves{
      [](void* from) { return std::variant<T...>(std::move(*static_cast<T*>(from))); }...};
  return kMoves[index](value);
}
template <typename Alternatives>
OneOf<Alternatives>::OneOf(size_t index, void* value)
    : Variant(MoveFrom(index, value, static_cast<const Variant*>(nullptr))) {}

}  // namespace dl
