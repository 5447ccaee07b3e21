// A sum of doubles that is exact on a fine grid, so that it does not depend on the order or
// grouping of its terms.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dl::nn {

// Binary floating point with 113 bits. Its + - * / give the same bits on every machine.
__extension__ using Quad = __float128;

// An integer of 256 bits in units of 2^-150. A term of 1e-40 still counts, and 2^40 terms of 2^62
// do not overflow. A plain value; not thread-safe.
class ExactSum {
 public:
  static constexpr double kLargestTerm = 0x1.0p62;

  // Adds `term`, rounded to the grid, halves away from zero. A term beyond kLargestTerm counts as
  // kLargestTerm, with its sign. REQUIRES: `term` is finite.
  void Add(double term);
  // Adds another sum. Returns false and changes nothing if the result does not fit.
  [[nodiscard]] bool Merge(const ExactSum& other);

  // Returns the nearest double.
  double value() const;

  // Returns the sum with 113 bits and a relative error of at most 2^-112. Used for differences of
  // large sums, where the 53 bits of a double are too few.
  Quad precise() const;

  // Returns the sum in units of 2^-24 as text: a decimal integer, so 1.0 is "16777216". If the sum
  // is not a multiple of 2^-24, the text is a fraction "N/2^k" of this unit, with an odd N and k
  // from 1 to 126.
  std::string ToText() const;
  // Returns the sum that ToText turns into this text. Returns nullopt for any other text.
  static std::optional<ExactSum> FromText(std::string_view text);

  bool operator==(const ExactSum&) const = default;

 private:
  using Limbs = std::array<uint64_t, 4>;  // lowest first; two's complement
  bool is_negative() const { return (limbs_.back() >> 63) != 0; }
  Limbs Magnitude() const;

  Limbs limbs_{};
};

}  // namespace dl::nn
