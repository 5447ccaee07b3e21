// Tests the accumulator's contract with 10,000 random cases: the same bits for every order and
// grouping, and close to the mean in double.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "averaging/accumulator.h"
#include "tests/unit/averaging/random_case.h"

namespace dl::averaging {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kCases = 1000, kArrangements = 20;
#else
constexpr int kCases = 10'000, kArrangements = 200;
#endif
constexpr size_t kMaxGroups = 3;
constexpr int64_t kMaxLarge = 5;  // contributions of a million elements

// Most cases are small. Four of 10,000 have a million elements, twenty up to 2^17.
int64_t ElementsOf(int number) {
  RandomStream random(
      {.seed = 21, .purpose = RandomPurpose::kForTests, .a = static_cast<uint64_t>(number)});
  if (number % 2500 == 77) return 1'000'000;
  if (number % 500 == 78) return 1 + random.Bounded(1 << 17);
  if (number % 50 == 79) return 1 + random.Bounded(1 << 12);
  return 1 + random.Bounded(uint64_t{1} << random.Bounded(10));
}

// Neighboring values map to neighboring numbers; both zeros map to the same.
uint32_t OrderedBits(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x == 0 ? 0.0f : x);
  return bits >> 31 ? 0x80000000u - (bits & 0x7fffffff) : 0x80000000u + bits;
}

int64_t UlpsBetween(float a, float b) {
  return std::abs(int64_t{OrderedBits(a)} - int64_t{OrderedBits(b)});
}

// The reference uses long double, so that its own rounding is negligible.
struct Reference {
  long double mean = 0, second_moment = 0;
};
Reference ReferenceOf(const RandomCase& c, int64_t mean_index, int64_t variance_index) {
  Reference sum;
  long double weights = 0;
  for (size_t m = 0; m < c.vectors.size(); ++m) {
    const long double x = c.vectors[m][mean_index];
    sum.mean += c.examples[m] * x;
    sum.second_moment += c.examples[m] * (c.vectors[m][variance_index] + x * x);
    weights += c.examples[m];
  }
  return {sum.mean / weights, sum.second_moment / weights};
}

void ExpectCloseToReference(const RandomCase& c, std::span<const Magnitudes> magnitudes,
                            std::span<const float> merged) {
  for (size_t s = 0; s < c.table.segments().size(); ++s) {
    const Segment& segment = c.table.segments()[s];
    double largest = 0;
    for (const Magnitudes& announced : magnitudes) largest = std::max(largest, announced[s]);
    const bool variance = segment.kind == SegmentKind::kVariance;
    for (int64_t i = segment.offset; i < segment.offset + segment.size; ++i) {
      const Reference reference = ReferenceOf(c, variance ? i - segment.size : i, i);
      if (variance) {
        // Two grids contribute: the grid of v + m*m, and the grid of m through 2 |m| dm.
        const double expected =
            std::max(0.0L, reference.second_moment - reference.mean * reference.mean);
        ASSERT_NEAR(merged[i], expected, 4 * largest * 0x1p-41 + expected * 0x1p-24)
            << segment.name;
        ASSERT_GE(merged[i], 0.0f);
        continue;
      }
      const double expected = reference.mean;
      if (std::fabs(expected) >= largest * 0x1p-14) {
        ASSERT_LE(UlpsBetween(merged[i], static_cast<float>(expected)), 1)
            << segment.name << " " << i;
      } else {
        // Half a step of the grid, plus half a unit in the last place (or of a denormal) for
        // rounding to float32.
        const double rounding = std::max(std::fabs(expected) * 0x1p-24, 0x1p-150);
        ASSERT_NEAR(merged[i], expected, largest * 0x1p-41 + rounding) << segment.name << " " << i;
        ASSERT_NEAR(merged[i], expected, largest * 0x1p-38 + 0x1p-150) << segment.name << " " << i;
      }
    }
  }
}

// Accumulators that are reused for all cases of a table, as in the master.
class Arrangements {
 public:
  Arrangements(const RandomCase& c, const GridExponents& grid, const Weights& weights)
      : case_(c), grid_(grid), weights_(weights) {
    // 128-bit sums are never sent, so only their order varies.
    const size_t groups = weights.sum > kMaxNarrowWeightSum ? 1 : kMaxGroups;
    for (size_t g = 0; g < std::min(groups, c.vectors.size()); ++g) {
      groups_.push_back(*Accumulator::Create(c.table, grid, weights.sum));
    }
    order_.resize(c.vectors.size());
    std::iota(order_.begin(), order_.end(), 0);
  }

  // Adds the contributions in random order to random groups, and merges the groups in random order.
  Status Merge(RandomStream& random, std::span<float> out) {
    Shuffle(random, order_);
    const size_t used = 1 + random.Bounded(groups_.size());
    for (size_t g = 0; g < used; ++g) DL_RETURN_IF_ERROR(groups_[g].Reset(grid_, weights_.sum));
    for (size_t m : order_) {
      DL_RETURN_IF_ERROR(groups_[random.Bounded(used)].Add(case_.vectors[m], weights_.weight[m]));
    }
    std::vector<size_t> tree(used);
    std::iota(tree.begin(), tree.end(), 0);
    Shuffle(random, tree);
    while (tree.size() > 1) {
      const Accumulator& from = groups_[tree.back()];
      tree.pop_back();
      if (from.weight_added() == 0) continue;
      DL_RETURN_IF_ERROR(groups_[tree[random.Bounded(tree.size())]].AddSums(
          std::as_bytes(from.sums()), from.weight_added()));
    }
    return groups_[tree.front()].Finish(out);
  }

 private:
  static void Shuffle(RandomStream& random, std::vector<size_t>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.Bounded(i)]);
  }

  const RandomCase& case_;
  const GridExponents& grid_;
  const Weights& weights_;
  std::vector<Accumulator> groups_;
  std::vector<size_t> order_;
};

struct Occurred {
  int narrow = 0, wide = 0;  // sums of 64 and of 128 bits
  int alone = 0;             // single contributions
};

void RunCase(int number, Occurred& occurred) {
  const int64_t elements = ElementsOf(number);
  const RandomCase c = MakeRandomCase(number, elements, elements > 1 << 17 ? kMaxLarge : 8);
  const Weights weights = *NormalizeWeights(c.examples);
  ++(weights.sum > kMaxNarrowWeightSum ? occurred.wide : occurred.narrow);
  occurred.alone += c.vectors.size() == 1;
  std::vector<Magnitudes> magnitudes;
  for (const std::vector<float>& flat : c.vectors)
    magnitudes.push_back(*MeasureMagnitudes(c.table, flat));
  const GridExponents grid = GridFor(c.table, magnitudes);

  RandomStream random(
      {.seed = 22, .purpose = RandomPurpose::kForTests, .a = static_cast<uint64_t>(number)});
  Arrangements arrangements(c, grid, weights);
  std::vector<float> first(c.table.size()), other(c.table.size());
  ASSERT_TRUE(arrangements.Merge(random, first).ok());
  ExpectCloseToReference(c, magnitudes, first);
  for (int i = 1; i < kArrangements; ++i) {
    const Status status = arrangements.Merge(random, other);
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_EQ(std::memcmp(first.data(), other.data(), first.size() * sizeof(float)), 0)
        << "arrangement " << i << " of " << c.vectors.size() << " contributions, " << elements
        << " elements";
  }
}

TEST(OrderIndependence, HoldsForRandomOrdersAndGroupings) {
  Occurred occurred;
  for (int number = 0; number < kCases; ++number) {
    SCOPED_TRACE("case " + std::to_string(number));
    RunCase(number, occurred);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(occurred.narrow, kCases / 100);
  EXPECT_GT(occurred.wide, kCases / 100);
  EXPECT_LT(occurred.alone, kCases / 12);
}

// Control: plain float addition fails the same comparison, so the cases can detect errors.
TEST(OrderIndependence, PlainFloatAdditionDependsOnOrder) {
  int different = 0;
  for (int number = 0; number < 100; ++number) {
    const RandomCase c = MakeRandomCase(number, 100, 8);
    std::vector<float> up(c.table.size()), down(c.table.size());
    for (size_t m = 0; m < c.vectors.size(); ++m) {
      const size_t n = c.vectors.size() - 1 - m;
      for (int64_t i = 0; i < c.table.size(); ++i) {
        up[i] += c.examples[m] * c.vectors[m][i];
        down[i] += c.examples[n] * c.vectors[n][i];
      }
    }
    different += up != down;
  }
  EXPECT_GT(different, 50);
}

}  // namespace
}  // namespace dl::averaging
