// Finds the next character of a text that may end a field, for many fields of the same text.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dl::dataset {

// Examines the text in blocks of 64 bytes, and remembers the places in the last block. Not
// thread-safe.
class CsvSignSearch {
 public:
  // Finds `first`, `second` and line ends (CR and LF).
  CsvSignSearch(char first, char second) : first_(first), second_(second) {}

  // Must be called before Find() if the text moved or changed.
  void Restart() { block_ = SIZE_MAX; }

  // Returns the place of the next such character at or after `at`; the size of the text if there is
  // none.
  size_t Find(std::string_view text, size_t at) {
    while (at < text.size()) {
      const size_t block = at / kBlock * kBlock;
      if (block != block_) Examine(text, block);
      const uint64_t places = places_ >> (at - block);
      if (places != 0) return at + static_cast<size_t>(std::countr_zero(places));
      at = block + kBlock;
    }
    return text.size();
  }

 private:
  static constexpr size_t kBlock = 64;

  bool IsSign(char c) const { return c == first_ || c == second_ || c == '\n' || c == '\r'; }

  void Examine(std::string_view text, size_t block) {
    block_ = block;
    places_ = 0;
    if (block + kBlock <= text.size()) {
      ExamineWhole(text.data() + block);
      return;
    }
    for (size_t i = block; i < text.size(); ++i)
      places_ |= static_cast<uint64_t>(IsSign(text[i])) << (i - block);
  }

  void ExamineWhole(const char* from) {
#ifdef __SSE2__
    constexpr size_t kLanes = 16;
    const auto equals = [](__m128i some, char c) { return _mm_cmpeq_epi8(some, _mm_set1_epi8(c)); };
    for (size_t i = 0; i < kBlock; i += kLanes) {
      const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
      const __m128i fields = _mm_or_si128(equals(some, first_), equals(some, second_));
      const __m128i lines = _mm_or_si128(equals(some, '\n'), equals(some, '\r'));
      places_ |= static_cast<uint64_t>(_mm_movemask_epi8(_mm_or_si128(fields, lines))) << i;
    }
#else
    for (size_t i = 0; i < kBlock; ++i) places_ |= static_cast<uint64_t>(IsSign(from[i])) << i;
#endif
  }

  char first_, second_;
  size_t block_ = SIZE_MAX;  // begin of the block that places_ is about
  uint64_t places_ = 0;      // bit i: the character at block_ + i is found
};

}  // namespace dl::dataset
