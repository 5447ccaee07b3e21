#include "dataset/readers/table/short_decimals.h"

#include <algorithm>

#include "base/isa_clones.h"
#include "dataset/readers/eight_digits.h"
#include "dataset/readers/plain_number.h"

namespace dl::dataset {
namespace {

using eight::kEach;

// The compiler divides these vectors for instruction sets with narrower ones.
constexpr size_t kTogether = 8;
using Words = uint64_t __attribute__((vector_size(8 * kTogether)));
using Signed = int64_t __attribute__((vector_size(8 * kTogether)));
using Doubles = double __attribute__((vector_size(8 * kTogether)));

template <typename Vector, typename Number>
DL_ALWAYS_INLINE Vector Load(const Number* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}
template <typename Vector, typename Number>
DL_ALWAYS_INLINE void Store(const Vector& vector, Number* to) {
  std::memcpy(to, &vector, sizeof vector);
}

// A comparison of vectors gives all bits where it holds.
DL_ALWAYS_INLINE Words MaskOf(Signed comparison) { return reinterpret_cast<Words>(comparison); }
DL_ALWAYS_INLINE Words Select(Words mask, Words yes, Words no) {
  return (yes & mask) | (no & ~mask);
}
DL_ALWAYS_INLINE Words AtMostEight(Words count) {
  return Select(MaskOf(count < 8), count, Words{} + 8);
}

// Returns a mask of the last `count` characters, from 0 to 8.
DL_ALWAYS_INLINE Words LastCharacters(Words count) {
  const Words half = 4 * (8 - count);  // a shift by 64 bits is undefined
  return ~Words{} << half << half;
}

// The functions below are those of eight_digits.h, for vectors.
DL_ALWAYS_INLINE Words Places(Words word, char c) {
  const Words differs = word ^ kEach * static_cast<unsigned char>(c);
  constexpr uint64_t kLow = kEach * 0x7f;
  return ~(((differs & kLow) + kLow) | differs | kLow);
}

// Returns 0 for eight digits.
DL_ALWAYS_INLINE Words OtherThanDigits(Words word) {
  constexpr uint64_t kHigh = kEach * 0xf0;
  return ((word ^ kEach * 0x30) | ((word + kEach * 0x06) ^ kEach * 0x30)) & kHigh;
}

DL_ALWAYS_INLINE Words ValueOf(Words word) {
  word -= kEach * '0';
  word = (word << 3) + (word << 1) + (word >> 8);
  constexpr uint64_t kPairs = 0x000000ff000000ff;
  constexpr uint64_t kFirst = 100 + (uint64_t{1'000'000} << 32);
  constexpr uint64_t kSecond = 1 + (uint64_t{10'000} << 32);
  return ((word & kPairs) * kFirst + ((word >> 16) & kPairs) * kSecond) >> 32;
}

// The first point in words. The entries of words without a point are any, except `is_found`.
struct Point {
  Words before, up_to;  // masks of the characters before it, and of those with it
  Words is_found;

  DL_ALWAYS_INLINE explicit Point(Words word) {
    const Words points = Places(word, '.'), first = points & -points;
    before = (first >> 7) - 1;
    up_to = (first << 1) - 1;
    is_found = MaskOf(points != 0);
  }
  // Moves the characters before it to its place.
  DL_ALWAYS_INLINE Words Close(Words word) const { return (word & ~up_to) | (word & before) << 8; }
  // Returns 1 in the byte of each character after it.
  DL_ALWAYS_INLINE Words After() const { return ~up_to & kEach; }
};

DL_ALWAYS_INLINE Words SumOfBytes(Words bytes) {
  bytes += bytes >> 32;
  bytes += bytes >> 16;
  return (bytes + (bytes >> 8)) & 0xff;
}

// As ParseShortDecimal. kLong: fields of up to 16 characters; else of up to 8.
template <bool kLong>
DL_ALWAYS_INLINE void Parse(const FieldWords& fields, size_t i, ShortDecimals& out) {
  const Words sign = Load<Words>(fields.begins + i) & 0xff, size = Load<Words>(fields.sizes + i);
  const Words is_negative = MaskOf(sign == '-');
  const Words has_sign = is_negative | MaskOf(sign == '+');
  Words is_bad = MaskOf(size - 1 >= (kLong ? 16 : 8));
  const Words characters = Select(is_bad, Words{} + 1, size + has_sign);  // without the sign
  const Words in_last = AtMostEight(characters);
  Words last = Load<Words>(fields.last_words + i) & LastCharacters(in_last), first{};
  const Point point(last);
  Words has_point = point.is_found, after = point.After() & point.is_found;
  last = Select(point.is_found, point.Close(last), last);
  if constexpr (kLong) {
    first = Load<Words>(fields.first_words + i) & LastCharacters(characters - in_last);
    const Point other(first);
    const Words is_other = other.is_found & ~point.is_found;
    last |= point.is_found & (first >> 56);
    first = Select(point.is_found, first << 8, Select(is_other, other.Close(first), first));
    after += is_other & (other.After() + kEach);
    has_point |= is_other;
  }
  const Words digits = characters + has_point;  // the mask is -1
  is_bad |= MaskOf(digits == 0);
  const Words digits_in_last = AtMostEight(digits);
  last |= ~LastCharacters(digits_in_last) & kEach * '0';
  Words others = OtherThanDigits(last), number = ValueOf(last);
  if constexpr (kLong) {
    first |= ~LastCharacters(digits - digits_in_last) & kEach * '0';
    others |= OtherThanDigits(first);
    number += ValueOf(first) * 100'000'000;
  }
  is_bad |= MaskOf(others != 0) | MaskOf(number >= kExactDigits);
  const Words fraction = SumOfBytes(after);
  Doubles power{};
  for (size_t j = 0; j < kTogether; ++j) power[j] = kExactPowersOfTen[fraction[j] & 0xf];
  const auto whole = __builtin_convertvector(reinterpret_cast<Signed>(number), Doubles);
  const Words value = reinterpret_cast<Words>(whole / power);
  Store(value ^ (is_negative & uint64_t{1} << 63), out.values + i);
  Store((number ^ is_negative) - is_negative, out.digits + i);
  Store(fraction, out.fractions + i);
  Store(has_point & 1, out.have_points + i);
  Store(~is_bad & 1, out.are_parsed + i);
}

DL_ISA_CLONES void ParseLong(const FieldWords& fields, size_t count, ShortDecimals& out) {
  for (size_t i = 0; i < count; i += kTogether) Parse<true>(fields, i, out);
}
DL_ISA_CLONES void ParseOneWord(const FieldWords& fields, size_t count, ShortDecimals& out) {
  for (size_t i = 0; i < count; i += kTogether) Parse<false>(fields, i, out);
}

// As value_hash.h.
DL_ALWAYS_INLINE Words HashOf(Words bits) {
  constexpr uint64_t kBitFlip = 0x1cad21f72c81017c ^ 0xdb979083e96dd4de;
  constexpr uint64_t kPrime = 0x9fb21c651e98df25;
  Words hash = (bits << 32 | bits >> 32) ^ kBitFlip;
  hash ^= (hash << 49 | hash >> 15) ^ (hash << 24 | hash >> 40);
  hash *= kPrime;
  hash ^= (hash >> 35) + 8;
  hash *= kPrime;
  return hash ^ (hash >> 28);
}

DL_ALWAYS_INLINE Words IsDigit(Words c) { return MaskOf(c - '0' <= 9); }

DL_ISA_CLONES void FindAllFacts(const FieldWords& fields, const ShortDecimals& numbers,
                                size_t count, DecimalFacts& out) {
  using enum DecimalFacts::Count;
  for (size_t i = 0; i < count; i += kTogether) {
    const Words begins = Load<Words>(fields.begins + i), sizes = Load<Words>(fields.sizes + i);
    const Words first = begins & 0xff, second = begins >> 8;
    const Words digits = Load<Words>(numbers.digits + i);
    const Words has_point = -Load<Words>(numbers.have_points + i);
    const Doubles values = Load<Doubles>(numbers.values + i);
    const Signed whole = __builtin_convertvector(values, Signed);
    Words counts{};
    const auto add = [&](DecimalFacts::Count fact, Words mask) __attribute__((always_inline)) {
      counts |= (mask & 1) << (8 * fact);
    };
    add(kFraction, ~MaskOf(__builtin_convertvector(whole, Doubles) == values));
    add(kPoint, has_point);
    add(kThreePlaces, MaskOf(Load<Words>(numbers.fractions + i) == 3));
    add(kLarge, ~has_point & MaskOf(digits + 999 > 1998));
    add(kLeadingZero, MaskOf(first == '0') & IsDigit(second) & MaskOf(sizes > 1));
    add(kEightDigits, ~has_point & MaskOf(sizes == 8) & IsDigit(first));
    add(kLongPlus, MaskOf(first == '+') & MaskOf(sizes > 8));
    Store(counts, out.counts + i);
    // -0 and 0 have one hash.
    Store(HashOf(reinterpret_cast<Words>(values + 0.0)), out.hashes + i);
  }
}

}  // namespace

void FieldWords::SetApart(size_t i, std::string_view field) {
  char bytes[kBytes] = {};
  const size_t count = std::min(field.size(), kBytes);
  if (count > 0) std::memcpy(bytes + kBytes - count, field.data() + field.size() - count, count);
  std::memcpy(&first_words[i], bytes, kWord);
  std::memcpy(&last_words[i], bytes + kWord, kWord);
  const auto at = [&](size_t c) {
    return c < field.size() ? uint64_t{static_cast<unsigned char>(field[c])} : 0;
  };
  begins[i] = at(0) | at(1) << 8;
}

void ParseShortDecimals(const FieldWords& fields, size_t count, ShortDecimals& out) {
  const uint64_t longest = *std::max_element(fields.sizes, fields.sizes + count);
  if (longest > 8)
    ParseLong(fields, count, out);
  else
    ParseOneWord(fields, count, out);
}

void FindFacts(const FieldWords& fields, const ShortDecimals& numbers, size_t count,
               DecimalFacts& out) {
  FindAllFacts(fields, numbers, count, out);
}

}  // namespace dl::dataset
