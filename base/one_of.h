// A std::variant of many alternatives whose copies, moves, comparison and destruction are compiled
// once. For a plain variant they are compiled again in each source that copies one. With 40 kinds
// of layers, this took most of the compile time of the smallest layer.
//
//   struct Shapes {
//     using Variant = std::variant<Circle, Square>;
//   };
//   using Shape = OneOf<Shapes>;
//
// A single source includes base/one_of_members.h and contains, in namespace dl:
//
//   template class OneOf<Shapes>;
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <variant>

namespace dl {

// Returns the index of alternative A, or the number of alternatives if A is none of them.
template <typename A, typename... T>
constexpr size_t AlternativeIndex(const std::variant<T...>*) {
  constexpr std::array<bool, sizeof...(T)> kSame{std::same_as<A, T>...};
  return static_cast<size_t>(std::find(kSame.begin(), kSame.end(), true) - kSame.begin());
}

template <typename... T>
constexpr bool AreEqualityComparable(const std::variant<T...>*) {
  return (std::equality_comparable<T> && ...);
}

template <typename Alternatives>
class OneOf : public Alternatives::Variant {
 public:
  using Variant = typename Alternatives::Variant;
  static constexpr bool kComparable = AreEqualityComparable(static_cast<const Variant*>(nullptr));

  OneOf();  // the first alternative's default
  OneOf(const OneOf& other);
  OneOf(OneOf&& other) noexcept;
  OneOf& operator=(const OneOf& other);
  OneOf& operator=(OneOf&& other) noexcept;
  ~OneOf();

  // Accepts exactly the alternatives; a type that only converts to one is refused.
  template <typename A>
  requires(AlternativeIndex<A>(static_cast<typename Alternatives::Variant*>(nullptr)) <
           std::variant_size_v<typename Alternatives::Variant>)
      OneOf(A value)  // NOLINT: implicit, as for a variant
      : OneOf(AlternativeIndex<A>(static_cast<Variant*>(nullptr)), &value) {}

  // Available if all alternatives have operator==.
  bool operator==(const OneOf& other) const requires(kComparable) { return Equals(other); }

 private:
  bool Equals(const OneOf& other) const;
  OneOf(size_t index, void* value);  // moves from the alternative `index` at `value`
};

}  // namespace dl
