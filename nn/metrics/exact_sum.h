// A sum of doubles that is exact on a fine grid, so that it does not depend on the order or the
// grouping of its terms.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dl::nn {

// Binary floating point of 113 bits, of which + - * / are the same on every machine.
__extension__ using Quad = __float128;

// An integer of 256 bits in units of 2^-150: a term of 1e-40 still counts, and 2^40 terms of 2^62
// do not overflow. Plain value; not thread-safe.
class ExactSum {
 public:
  static constexpr double kLargestTerm = 0x1.0p62;

  // Adds `term`, rounded to the grid, halves away from zero. A term beyond kLargestTerm counts as
  // kLargestTerm, with its sign. REQUIRES: `term` is finite.
  void Add(double term);
  // Returns false, and changes nothing, when the result does not fit.
  [[nodiscard]] bool Merge(const ExactSum& other);

  // The nearest double.
  double value() const;

  // The same with 113 bits, for differences of large sums; no farther than one part in 2^112.
  Quad precise() const;

  // A decimal integer N in units of 2^-24; "N/2^k" with an odd N and k from 1 to 126 where the sum
  // is no multiple of 2^-24. FromText takes exactly the texts that ToText makes.
  std::string ToText() const;
  static std::optional<ExactSum> FromText(std::string_view text);

  bool operator==(const ExactSum&) const = default;

 private:
  using Limbs = std::array<uint64_t, 4>;  // the lowest first; two's complement
  bool is_negative() const { return (limbs_.back() >> 63) != 0; }
  Limbs Magnitude() const;

  Limbs limbs_{};
};

}  // namespace dl::nn
