// Every instruction set of this machine gives the same bits as the portable loops, for every
// alignment and remainder.
#include "averaging/kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "base/philox.h"

namespace dl::averaging {
namespace {

std::vector<float> RandomFloats(int64_t n) {
  RandomStream random({.seed = 23, .purpose = RandomPurpose::kForTests});
  std::vector<float> out;
  for (int64_t i = 0; i < n; ++i) {
    const float x = std::bit_cast<float>((random.NextU32() & 0x81ffffff) | 0x3c000000);
    out.push_back(i % 7 == 0 ? 0.0f : x);
  }
  return out;
}

TEST(Kernels, AllInstructionSetsGiveTheSameBits) {
  const std::vector<float> all = RandomFloats(301);
  const Kernels& portable = SupportedKernels().front();
  for (const Kernels& kernels : SupportedKernels()) {
    for (size_t begin : {0, 1, 3}) {
      for (size_t n = 0; begin + n <= all.size(); n += n < 40 ? 1 : 37) {
        SCOPED_TRACE(testing::Message() << kernels.isa << " begin " << begin << " n " << n);
        const std::span<const float> x = std::span(all).subspan(begin, n);
        EXPECT_EQ(kernels.largest_bits(x), portable.largest_bits(x));
        std::vector<int64_t> sums(n, -12345), expected(n, -12345);
        const Term term = {.scale = 0x1p41, .weight = 2'097'143};
        kernels.add(x, term, sums.data());
        portable.add(x, term, expected.data());
        EXPECT_EQ(sums, expected);
        std::vector<float> out(n), expected_out(n);
        const Quotient quotient = {.weight_sum = 2'097'151, .step = 0x1p-41};
        kernels.finish(sums.data(), quotient, out);
        portable.finish(expected.data(), quotient, expected_out);
        EXPECT_EQ(out, expected_out);
      }
    }
  }
}

TEST(Kernels, RoundsToNearestEven) {
  const std::vector<float> x = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 0.75f, -0.25f};
  for (const Kernels& kernels : SupportedKernels()) {
    std::vector<int64_t> sums(x.size(), 0);
    kernels.add(x, {.scale = 1, .weight = 10}, sums.data());
    EXPECT_EQ(sums, (std::vector<int64_t>{0, 20, 20, 0, -20, -20, 10, 0})) << kernels.isa;
  }
}

TEST(Kernels, ConvertsSumsAsTheProcessorDoes) {
  RandomStream random({.seed = 24, .purpose = RandomPurpose::kForTests});
  std::vector<int64_t> sums = {
      0, 1, -1, INT64_MAX, INT64_MIN, (1LL << 53) + 1, -(1LL << 53) - 1, 1LL << 32, -(1LL << 32)};
  for (int i = 0; i < 1000; ++i)
    sums.push_back(static_cast<int64_t>(random.NextU64()) >> random.Bounded(64));
  for (const Kernels& kernels : SupportedKernels()) {
    std::vector<float> out(sums.size());
    kernels.finish(sums.data(), {.weight_sum = 3, .step = 0x1p-41}, out);
    for (size_t i = 0; i < sums.size(); ++i) {
      EXPECT_EQ(out[i], static_cast<float>(static_cast<double>(sums[i]) / 3 * 0x1p-41))
          << kernels.isa << " " << sums[i];
    }
  }
}

}  // namespace
}  // namespace dl::averaging
