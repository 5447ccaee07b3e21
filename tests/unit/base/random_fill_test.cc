#include "base/random_fill.h"

#include <bit>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"

namespace dl {
namespace {

constexpr RandomStream::StreamId kId = {.seed = 9, .purpose = RandomPurpose::kForTests, .a = 3};
constexpr int64_t kNumbers = 200'003;

template <typename Draw>
std::vector<uint64_t> BitsDrawn(Draw draw) {
  RandomStream stream(kId);
  std::vector<uint64_t> bits;
  for (int64_t i = 0; i < kNumbers; ++i) bits.push_back(std::bit_cast<uint64_t>(draw(stream)));
  return bits;
}

template <typename Fill>
std::vector<uint64_t> BitsFilled(Fill fill, int64_t first, int64_t count) {
  std::vector<double> numbers(count);
  fill(RandomStream(kId), first, numbers);
  std::vector<uint64_t> bits(count);
  std::memcpy(bits.data(), numbers.data(), count * sizeof(double));
  return bits;
}

TEST(RandomFill, NormalNumbersHaveTheBitsOfTheStream) {
  EXPECT_EQ(BitsFilled(FillNormal, 0, kNumbers),
            BitsDrawn([](RandomStream& stream) { return stream.NextNormal(); }));
}

TEST(RandomFill, UniformNumbersHaveTheBitsOfTheStream) {
  EXPECT_EQ(BitsFilled(FillUniform, 0, kNumbers),
            BitsDrawn([](RandomStream& stream) { return stream.NextDouble(); }));
}

TEST(RandomFill, RangesAreThoseOfTheWhole) {
  const std::vector<uint64_t> normal = BitsFilled(FillNormal, 0, 500);
  const std::vector<uint64_t> uniform = BitsFilled(FillUniform, 0, 500);
  for (const int64_t first : {0, 2, 30, 32, 34, 128}) {
    for (const int64_t count : {0, 1, 2, 31, 32, 33, 100, 300}) {
      const auto part = [&](const std::vector<uint64_t>& whole) {
        return std::vector(whole.begin() + first, whole.begin() + first + count);
      };
      EXPECT_EQ(BitsFilled(FillNormal, first, count), part(normal)) << first << " " << count;
      EXPECT_EQ(BitsFilled(FillUniform, first, count), part(uniform)) << first << " " << count;
    }
  }
}

// Block 2^32 - 1 and the block after it differ in both words of the counter.
TEST(RandomFill, PassesFromOneWordOfTheCounterToTheNext) {
  const RandomStream stream(kId);
  constexpr int64_t kBlock = (int64_t{1} << 32) - 1;
  double numbers[4];
  FillUniform(stream, 2 * kBlock, numbers);
  for (int i = 0; i < 4; ++i) {
    const uint64_t word = 4 * uint64_t{kBlock} + 2 * i;
    const uint64_t bits = stream.At(word) | uint64_t{stream.At(word + 1)} << 32;
    EXPECT_EQ(numbers[i], static_cast<double>(bits >> 11) * 0x1.0p-53) << i;
  }
}

}  // namespace
}  // namespace dl
