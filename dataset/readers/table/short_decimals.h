// Parses many short decimals together, with vectors of the processor. Results do not depend on the
// instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace dl::dataset {

// The characters of up to kMost fields in words, as ParseShortDecimals needs them. Not thread-safe.
class FieldWords {
 public:
  static constexpr size_t kMost = 64;

  // `readable`: bytes that may be read around a field, such as the text that has the fields. Fields
  // outside of it are allowed, and cost more. Must outlive the calls of Set().
  explicit FieldWords(std::string_view readable)
      : begin_(reinterpret_cast<uintptr_t>(readable.data())), readable_(readable.size()) {}

  // Sets the field with this index.
  void Set(size_t i, std::string_view field) {
    sizes[i] = field.size();
    // Whether at least kBytes of the text are before the end of the field, and a byte after it.
    const uintptr_t end = reinterpret_cast<uintptr_t>(field.data()) + field.size();
    const bool is_inside = readable_ > kBytes && end - begin_ - kBytes < readable_ - kBytes;
    if (!is_inside || field.empty()) return SetApart(i, field);
    const char* const last = field.data() + field.size() - kWord;
    uint16_t begin = 0;
    std::memcpy(&begin, field.data(), sizeof begin);
    std::memcpy(&last_words[i], last, kWord);
    std::memcpy(&first_words[i], last - kWord, kWord);
    begins[i] = begin;
  }

  // By field. The lowest byte of a word is its first character.
  uint64_t last_words[kMost];   // its last 8 characters; if it is shorter, others before them
  uint64_t first_words[kMost];  // the 8 characters before them
  uint64_t begins[kMost];       // its first two characters; if it has one, and another one
  uint64_t sizes[kMost];

 private:
  static constexpr size_t kWord = 8, kBytes = 2 * kWord;

  void SetApart(size_t i, std::string_view field);

  uintptr_t begin_;
  size_t readable_;
};

// Numbers of fields, by the index of the field.
struct ShortDecimals {
  static constexpr size_t kMost = FieldWords::kMost;

  uint64_t are_parsed[kMost];  // 1; 0: the field has no such number, and its other entries are any
  double values[kMost];
  int64_t digits[kMost];        // value * 10^fractions, exact
  uint64_t fractions[kMost];    // number of digits after the point
  uint64_t have_points[kMost];  // 1 with a point, else 0
};

// Parses the first `count` fields, which must be set, like ParseShortDecimal. Only numbers of 2^53
// without their point are not parsed. Overwrites the entries of other fields.
void ParseShortDecimals(const FieldWords& fields, size_t count, ShortDecimals& out);

// Facts about numbers, by the index of the field.
struct DecimalFacts {
  // Numbers of values in a sum of at most kMost entries, one byte each.
  enum Count : uint8_t {
    kFraction,     // values that are not whole
    kPoint,        // with a point
    kThreePlaces,  // with three digits after the point
    kLarge,        // without a point, from 1000 on or to -1000
    kLeadingZero,  // that begin with 0 and another digit
    kEightDigits,  // of eight digits, without a sign or a point
    kLongPlus,     // of more than 8 characters, with a plus sign
  };
  static int64_t CountIn(uint64_t counts, Count count) { return counts >> (8 * count) & 0xff; }

  uint64_t counts[ShortDecimals::kMost];  // 1 in the byte of each fact that holds
  uint64_t hashes[ShortDecimals::kMost];  // HashOfNumber(value)
};

// Finds facts about the first `count` fields. The entries of fields without a number are any.
void FindFacts(const FieldWords& fields, const ShortDecimals& numbers, size_t count,
               DecimalFacts& out);

}  // namespace dl::dataset
