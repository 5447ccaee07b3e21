#include "base/philox.h"

#include <bit>
#include <cmath>
#include <set>
#include <vector>

#include "Random123/philox.h"
#include "gtest/gtest.h"

namespace dl {
namespace {

using Block = std::array<uint32_t, 4>;

using Words = std::array<uint32_t, 6>;  // four words of the counter, then two of the key

Block OursOf(const Words& w) { return Philox4x32({w[0], w[1], w[2], w[3]}, {w[4], w[5]}); }

// With the library of the paper's authors.
Block TheirsOf(const Words& w) {
  const auto out = r123::Philox4x32()({{w[0], w[1], w[2], w[3]}}, {{w[4], w[5]}});
  return {out[0], out[1], out[2], out[3]};
}

TEST(Philox, MatchesRandom123) {
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(OursOf({}), TheirsOf({}));
  EXPECT_EQ(OursOf({kOnes, kOnes, kOnes, kOnes, kOnes, kOnes}),
            TheirsOf({kOnes, kOnes, kOnes, kOnes, kOnes, kOnes}));
  for (int bit = 0; bit < 6 * 32; ++bit) {
    Words one_bit{};
    one_bit[bit / 32] = uint32_t{1} << bit % 32;
    EXPECT_EQ(OursOf(one_bit), TheirsOf(one_bit)) << bit;
  }
  // Each result is the next input, so that all bits of counter and key are used.
  Block last{};
  for (uint32_t i = 0; i < 100'000; ++i) {
    const Words words = {last[0], last[1], last[2], i, last[3], ~last[0]};
    last = TheirsOf(words);
    ASSERT_EQ(OursOf(words), last) << i;
  }
}

TEST(RandomStream, MatchesBlocksOfRandom123) {
  const RandomStream stream({.seed = 6, .a = 1});
  const auto low = [](uint64_t x) { return static_cast<uint32_t>(x); };
  for (const uint64_t first : {uint64_t{0}, uint64_t{0xfffffffe}, uint64_t{1} << 61}) {
    for (uint64_t block = first; block < first + 4; ++block) {
      const Block theirs = TheirsOf({low(block), low(block >> 32), low(stream.base()),
                                     low(stream.base() >> 32), stream.key()[0], stream.key()[1]});
      for (uint64_t i = 0; i < 4; ++i) EXPECT_EQ(stream.At(4 * block + i), theirs[i]) << block;
    }
  }
}

TEST(RandomStream, AtIsTheStreamWithoutMovingIt) {
  RandomStream stream({.seed = 1, .purpose = RandomPurpose::kDropout, .a = 2, .b = 3, .c = 4});
  const RandomStream copy = stream;
  for (uint64_t i = 0; i < 100; ++i) EXPECT_EQ(stream.NextU32(), copy.At(i)) << i;
}

// Stored results depend on these values: a change here changes every job's result.
TEST(RandomStream, ValuesAreFixed) {
  RandomStream stream({.seed = 42, .purpose = RandomPurpose::kInitialize, .a = 7});
  EXPECT_EQ(stream.NextU32(), 742282102u);
  EXPECT_EQ(stream.NextU64(), 11925722606945323054u);
  EXPECT_EQ(std::bit_cast<uint64_t>(stream.NextDouble()), 0x3fe5e4b238371efcu);
  EXPECT_EQ(std::bit_cast<uint64_t>(stream.NextNormal()), 0xbfd341c44283232bu);
}

TEST(RandomStream, EveryPartOfTheKeyCounts) {
  const RandomStream::StreamId base = {
      .seed = 1, .purpose = RandomPurpose::kForTests, .a = 1, .b = 1, .c = 1};
  std::vector<RandomStream::StreamId> keys(7, base);
  keys[1].seed = 2;
  keys[2].purpose = RandomPurpose::kDropout;
  keys[3].a = 2;
  keys[4].b = 2;
  keys[5].c = 2;
  keys[6].a = 0;  // swapped with another member: not the same
  keys[6].b = 1;
  std::set<uint32_t> firsts;
  for (const auto& key : keys) firsts.insert(RandomStream(key).At(0));
  EXPECT_EQ(firsts.size(), keys.size());
  EXPECT_NE(RandomStream({.a = 1, .b = 2}).At(0), RandomStream({.a = 2, .b = 1}).At(0));
}

TEST(RandomStream, BoundedIsUniform) {
  RandomStream stream({.seed = 3});
  std::array<int, 6> counts{};
  constexpr int kDraws = 60'000;
  for (int i = 0; i < kDraws; ++i) {
    const uint64_t value = stream.Bounded(6);
    ASSERT_LT(value, 6u);
    ++counts[value];
  }
  for (int count : counts) EXPECT_NEAR(count, kDraws / 6, 5 * std::sqrt(kDraws / 6.0));
  EXPECT_EQ(stream.Bounded(1), 0u);
  EXPECT_LT(stream.Bounded(UINT64_MAX), UINT64_MAX);
}

TEST(RandomStream, NormalHasItsMoments) {
  RandomStream stream({.seed = 4});
  constexpr int kDraws = 100'000;
  double sum = 0, squares = 0, fourths = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double value = stream.NextNormal();
    sum += value;
    squares += value * value;
    fourths += value * value * value * value;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.016);  // five standard errors each
  EXPECT_NEAR(squares / kDraws, 1, 0.023);
  EXPECT_NEAR(fourths / kDraws, 3, 0.16);
}

TEST(RandomStream, DoublesAreInTheUnitInterval) {
  RandomStream stream({.seed = 5});
  double low = 1, high = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double value = stream.NextDouble();
    low = std::min(low, value);
    high = std::max(high, value);
  }
  EXPECT_GE(low, 0);
  EXPECT_LT(low, 1e-3);
  EXPECT_LT(high, 1);
  EXPECT_GT(high, 1 - 1e-3);
}

}  // namespace
}  // namespace dl
