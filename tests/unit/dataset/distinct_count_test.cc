#include "dataset/readers/table/distinct_count.h"

#include <cmath>
#include <iterator>
#include <set>
#include <span>
#include <vector>

#include "base/checksum.h"
#include "gtest/gtest.h"

namespace dl::dataset {
namespace {

TEST(DistinctCount, FewHashesAreCountedExactly) {
  DistinctCount count(8);
  for (const uint64_t hash : {0, 0, 5, 5, 0, 7}) count.Add(hash);
  EXPECT_EQ(count.Count(), 3);
  EXPECT_TRUE(count.IsExact());
}

TEST(DistinctCount, ManyHashesAreEstimated) {
  DistinctCount count(1024);
  for (uint64_t i = 0; i < 200'000; ++i) {
    const uint64_t value = i % 50'000;
    count.Add(Xxh3(std::as_bytes(std::span(&value, 1))));
  }
  EXPECT_NEAR(static_cast<double>(count.Count()), 50'000, 5'000);
  EXPECT_FALSE(count.IsExact());
}

TEST(DistinctCount, RandomHashesAreCountedAsInASet) {
  for (const size_t most : {2, 3, 63, 64, 1000}) {
    for (const uint64_t distinct : {uint64_t{1}, most / 2, most, most + 1, 3 * most, 40 * most}) {
      DistinctCount count(most);
      std::set<uint64_t> hashes;
      for (uint64_t i = 0; i < 100 * most; ++i) {
        const uint64_t value = i * i % 7919 % distinct;
        const uint64_t hash = value == 0 ? 0 : Xxh3(std::as_bytes(std::span(&value, 1)));
        count.Add(hash);
        hashes.insert(hash);
        if (i % 97 == 0) count.Count();  // changes nothing
      }
      const bool is_exact = hashes.size() <= most;
      const auto last =
          std::next(hashes.begin(), static_cast<int64_t>(is_exact ? hashes.size() : most) - 1);
      const double share = static_cast<double>(*last) / static_cast<double>(UINT64_MAX);
      EXPECT_EQ(count.Count(), is_exact ? std::ssize(hashes)
                                        : std::llround(static_cast<double>(most - 1) / share));
      EXPECT_EQ(count.IsExact(), is_exact) << most << " " << distinct;
    }
  }
}

TEST(DistinctCount, HashesThatAreAddedTogetherAreCountedAsSeparately) {
  constexpr size_t kMost = 100;
  for (const uint64_t together : {uint64_t{50}, uint64_t{100}, uint64_t{101}, uint64_t{5000}}) {
    DistinctCount separately(kMost), mixed(kMost);
    std::vector<uint64_t> hashes;
    for (uint64_t value = 0; value < together + 80; ++value) {
      const uint64_t hash = Xxh3(std::as_bytes(std::span(&value, 1)));
      separately.Add(hash);
      // Some are added in both ways.
      if (value < together) hashes.push_back(hash);
      if (value >= together - 20) mixed.Add(hash);
    }
    mixed.AddDistinct(hashes);
    EXPECT_EQ(mixed.Count(), separately.Count()) << together;
    EXPECT_EQ(mixed.IsExact(), separately.IsExact()) << together;
  }
}

// `make` returns hash number i of 62. The hashes come after many repetitions of two others.
template <typename Make>
void ExpectEachIsCounted(Make make) {
  constexpr uint64_t kMost = 64;
  DistinctCount count(kMost);
  for (int round = 0; round < 500; ++round) {
    count.Add(UINT64_MAX);
    count.Add(UINT64_MAX - 1);
  }
  for (int round = 0; round < 2; ++round) {
    for (uint64_t i = 0; i < kMost - 2; ++i) count.Add(make(i));
  }
  EXPECT_EQ(count.Count(), static_cast<int64_t>(kMost));
  EXPECT_TRUE(count.IsExact());
}

TEST(DistinctCount, EachSmallHashIsCountedAfterRepetitions) {
  ExpectEachIsCounted([](uint64_t i) { return i; });
}

TEST(DistinctCount, HashesWithEqualLowBitsAreCountedAfterRepetitions) {
  ExpectEachIsCounted([](uint64_t i) { return i << 32; });
}

}  // namespace
}  // namespace dl::dataset
