// The bf16 copies of weights that the updater writes, compared with oneDNN's conversion.
#include "nn/kernels/paired_weights.h"

#include <bit>
#include <vector>

#include "base/float_buffer.h"
#include "base/philox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/backend/blocked_layouts.h"
#include "nn/backend/convolution_primitive.h"
#include "nn/backend/inner_product.h"
#include "nn/kernel_contract.h"
#include "nn/tensor_copy.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

constexpr ProductTypes kBf16Types{.factors = DataType::kBf16,
                                  .for_weights = DataType::kBf16,
                                  .destination = DataType::kBf16,
                                  .diff_source = DataType::kBf16};

class PairedWeightsTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto level = ProcessIsa();
    ASSERT_THAT(level, test::IsOk());
    if (!CheckPrecision(*level, Precision::kBf16).ok())
      GTEST_SKIP() << "this CPU has no instructions for bf16";
  }
  // Normal numbers of every magnitude, ties of the rounding, infinities and NaN. Subnormal numbers
  // are left out: updates never write them, and oneDNN's conversion makes them 0.
  static float Value(uint32_t random) {
    switch (random % 16) {
      case 0:
        return std::bit_cast<float>((random & 0xffff0000) | 0x8000);
      case 1:
        return std::bit_cast<float>((random & 0x80000000) | 0x7f800000);
      case 2:
        return std::bit_cast<float>((random & 0x80000000) | 0x7fc00000 | (random >> 20));
      default:
        return std::bit_cast<float>(random);
    }
  }
  static FloatBuffer RandomValues(const Layout& layout) {
    auto plain = FloatBuffer::Create(layout.elements());
    EXPECT_THAT(plain, test::IsOk());
    RandomStream stream({.seed = 7, .purpose = RandomPurpose::kForTests});
    for (float& value : plain->span()) {
      value = Value(stream.NextU32());
      const uint32_t exponent = std::bit_cast<uint32_t>(value) & 0x7f800000;
      if (exponent == 0) value = 0;
    }
    auto stored = FloatBuffer::Create(layout.stored_elements());
    EXPECT_THAT(stored, test::IsOk());
    Copy(Layout::Plain(layout.dims()), plain->data(), layout, stored->data());
    return *std::move(stored);
  }
  static void Copy(const Layout& from, const float* values, const Layout& to, float* copy) {
    const auto reorder = Reorder(from, to);
    ASSERT_THAT(reorder, test::IsOk());
    const auto whole = TensorCopy::Create(*reorder, values, copy);
    ASSERT_THAT(whole, test::IsOk());
    EXPECT_THAT(whole->Run(), test::IsOk());
  }
  // Compares both copies. Returns whether the updater can write this one.
  static bool ExpectBitsOfConversion(const Layout& stored, const Layout& wanted) {
    const auto pairs = PairedWeightsOf(stored, wanted);
    if (!pairs) return false;
    const FloatBuffer values = RandomValues(stored);
    auto expected = FloatBuffer::Create((wanted.bytes() + 3) / 4);
    auto rounded = FloatBuffer::Create(expected->size());
    Copy(stored, values.data(), wanted, expected->data());
    // In pieces, one of which begins amid the taps of a block.
    const int64_t unit = pairs->UnitValues();
    auto* const to = reinterpret_cast<uint32_t*>(rounded->data());
    const int64_t middle = values.size() / unit / 2 * unit;
    pairs->Round(values.data(), {middle, values.size()}, to);
    pairs->Round(values.data(), {0, middle}, to);
    const auto bits = [](const FloatBuffer& buffer) {
      std::vector<uint32_t> all;
      for (const float value : buffer.span()) all.push_back(std::bit_cast<uint32_t>(value));
      return all;
    };
    EXPECT_EQ(bits(*rounded), bits(*expected));
    return true;
  }
  // Returns the number of copies, forward and backward, that the updater can write.
  static int FollowedCopies(const ConvolutionGeometry& g) {
    const auto gradient = ConvolutionBackwardWeights(g, Layout(), Layout());
    const auto forward = ConvolutionForward(g, Layout());
    const auto backward = ConvolutionBackwardData(g, Layout());
    EXPECT_THAT(gradient, test::IsOk());
    EXPECT_THAT(forward, test::IsOk());
    EXPECT_THAT(backward, test::IsOk());
    const Layout stored = gradient->layout(Role::kDiffWeights);
    return ExpectBitsOfConversion(stored, forward->layout(Role::kWeights)) +
           ExpectBitsOfConversion(stored, backward->layout(Role::kWeights));
  }
};

ConvolutionGeometry Convolution(int64_t in, int64_t out, int64_t kernel, int64_t groups = 1) {
  const int64_t pad = kernel / 2, size = 8;
  return {.batch = 4,
          .in_channels = in,
          .out_channels = out,
          .groups = groups,
          .types = kBf16Types,
          .window = {.in = {size, size},
                     .out = {size, size},
                     .kernel = {kernel, kernel},
                     .stride = {1, 1},
                     .dilation = {1, 1},
                     .pad_before = {pad, pad},
                     .pad_after = {pad, pad}}};
}

TEST_F(PairedWeightsTest, ConvolutionsHaveBitsOfConversion) {
  for (const int64_t in : {48, 64, 96, 256}) {
    for (const int64_t out : {16, 32, 48, 64, 80, 128}) {
      for (const int64_t kernel : {1, 3}) {
        SCOPED_TRACE(testing::Message() << in << " to " << out << ", kernel " << kernel);
        EXPECT_EQ(FollowedCopies(Convolution(in, out, kernel)), 2);
      }
    }
  }
}

TEST_F(PairedWeightsTest, PaddedChannelsHaveBitsOfConversion) {
  int followed = 0;
  for (const int64_t in : {20, 32, 40, 72}) {
    for (const int64_t out : {24, 40, 100}) {
      SCOPED_TRACE(testing::Message() << in << " to " << out);
      followed += FollowedCopies(Convolution(in, out, 3));
    }
  }
  EXPECT_GT(followed, 0);
}

TEST_F(PairedWeightsTest, GroupsHaveBitsOfConversion) {
  int followed = 0;
  for (const int64_t groups : {2, 4}) {
    for (const int64_t in : {32, 64}) {
      for (const int64_t out : {32, 48, 64}) {
        SCOPED_TRACE(testing::Message() << groups << " groups of " << in << " to " << out);
        followed += FollowedCopies(Convolution(groups * in, groups * out, 3, groups));
      }
    }
  }
  EXPECT_GT(followed, 0);
}

TEST_F(PairedWeightsTest, DenseLayersHaveBitsOfConversion) {
  for (const int64_t inputs : {64, 80, 144, 1000}) {
    for (const int64_t outputs : {48, 64, 100, 256}) {
      SCOPED_TRACE(testing::Message() << inputs << " to " << outputs);
      const InnerProductGeometry g{.source = {64, inputs}, .outputs = outputs, .types = kBf16Types};
      const auto gradient = InnerProductBackwardWeights(g, Layout(), Layout());
      const auto forward = InnerProductForward(g, Layout());
      ASSERT_THAT(gradient, test::IsOk());
      ASSERT_THAT(forward, test::IsOk());
      EXPECT_TRUE(ExpectBitsOfConversion(gradient->layout(Role::kDiffWeights),
                                         forward->layout(Role::kWeights)));
    }
  }
}

TEST_F(PairedWeightsTest, OtherArrangementsAreLeftToConversion) {
  const std::vector<int64_t> dims{64, 64, 3, 3};
  const Layout plain = Layout::Plain(dims), blocked = BlockedWeights(dims, 16);
  EXPECT_FALSE(PairedWeightsOf(plain, blocked.As(DataType::kBf16)).has_value());
  EXPECT_FALSE(PairedWeightsOf(blocked, blocked).has_value());
  EXPECT_FALSE(PairedWeightsOf(blocked, blocked.As(DataType::kBf16)).has_value());
}

}  // namespace
}  // namespace dl::nn
