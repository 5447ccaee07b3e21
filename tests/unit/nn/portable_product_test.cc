// The portable kernels of matrix products, at each instruction set of the machine: nn/kernels/
// product, and nn/backend/own/own_products.h. Each is compared, bit for bit, with its definition in
// single fused operations.
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/float_buffer.h"
#include "base/philox.h"
#include "gtest/gtest.h"
#include "nn/backend/compute_scope.h"
#include "nn/backend/own/own_products.h"
#include "nn/backend/parallel_for.h"
#include "nn/kernel_contract.h"
#include "nn/kernels/product/windows.h"
#include "tests/support/status_matchers.h"

namespace dl::nn::portable_product {
namespace {

using Storage = MatrixProductGeometry::Storage;
using Result = MatrixProductGeometry::Result;
using Values = std::vector<float>;

Values RandomValues(int64_t count, uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = RandomPurpose::kForTests});
  Values values(count);
  for (float& v : values) v = static_cast<float>(random.NextDouble() * 2 - 1);
  return values;
}

bool SameBits(std::span<const float> a, const Values& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// Returns the sum over k of a(k) b(k) in the order of portable products, added to `start` or alone.
template <typename A, typename B>
float SumOf(int64_t inner, const A& a, const B& b, const float* start = nullptr) {
  float total = start == nullptr ? 0 : *start;
  for (int64_t first = 0; first < inner; first += 256) {
    float sum = 0;
    for (int64_t k = first; k < std::min(inner, first + 256); ++k) sum = std::fma(a(k), b(k), sum);
    total = first == 0 && start == nullptr ? sum : total + sum;
  }
  return total;
}

struct Sizes {
  int64_t rows, inner, columns;
};
constexpr Sizes kSizes[] = {{1, 1, 1},     {5, 3, 7},     {12, 256, 48},
                            {13, 257, 47}, {40, 600, 10}, {3, 40, 130},
                            {130, 20, 17}, {500, 70, 33}, {20, 513, 260}};
constexpr int kThreads[] = {1, 2, 3, 5};

Values ProductOf(const MatrixProductGeometry& g, const Values& a, const Values& b,
                 const Values& start) {
  Values c;
  for (int64_t i = 0; i < g.batch; ++i) {
    const float* const x = a.data() + i * g.rows * g.inner;
    const float* const y = b.data() + i * g.inner * g.columns;
    for (int64_t m = 0; m < g.rows; ++m) {
      for (int64_t n = 0; n < g.columns; ++n) {
        const auto left = [&](int64_t k) {
          return g.a == Storage::kPlain ? x[m * g.inner + k] : x[k * g.rows + m];
        };
        const auto right = [&](int64_t k) {
          return g.b == Storage::kPlain ? y[k * g.columns + n] : y[n * g.inner + k];
        };
        const float* const from = g.result == Result::kAdd ? &start[c.size()] : nullptr;
        c.push_back(SumOf(g.inner, left, right, from));
      }
    }
  }
  return c;
}

TEST(PortableMatrixProduct, EqualsItsDefinition) {
  for (const Sizes& sizes : kSizes) {
    for (const Storage a_storage : {Storage::kPlain, Storage::kTransposed}) {
      for (const Storage b_storage : {Storage::kPlain, Storage::kTransposed}) {
        for (const Result result : {Result::kSet, Result::kAdd}) {
          const MatrixProductGeometry g{.batch = 3,
                                        .rows = sizes.rows,
                                        .inner = sizes.inner,
                                        .columns = sizes.columns,
                                        .a = a_storage,
                                        .b = b_storage,
                                        .result = result,
                                        .kernels = KernelSet::kPortable};
          const Values a = RandomValues(g.batch * g.rows * g.inner, 1);
          const Values b = RandomValues(g.batch * g.inner * g.columns, 2);
          const Values start = RandomValues(g.batch * g.rows * g.columns, 3);
          const Values want = ProductOf(g, a, b, start);
          const auto primitive = MatrixProduct(g);
          DL_ASSERT_OK(primitive);
          for (const int threads : kThreads) {
            SCOPED_TRACE(absl::StrCat(g.rows, "x", g.inner, "x", g.columns, " ",
                                      static_cast<int>(a_storage), static_cast<int>(b_storage),
                                      static_cast<int>(result), " threads ", threads));
            const ComputeScope scope(1);
            const LoopThreads loops(threads, /*least_floats=*/1);
            FloatBuffer left = *FloatBuffer::Create(static_cast<int64_t>(a.size()));
            FloatBuffer right = *FloatBuffer::Create(static_cast<int64_t>(b.size()));
            FloatBuffer c = *FloatBuffer::Create(static_cast<int64_t>(start.size()));
            std::ranges::copy(a, left.data());
            std::ranges::copy(b, right.data());
            std::ranges::copy(start, c.data());
            const auto bound = primitive->Bind({{Role::kSource, left.data()},
                                                {Role::kWeights, right.data()},
                                                {Role::kDestination, c.data()}});
            DL_ASSERT_OK(bound);
            DL_ASSERT_OK(bound->Run());
            EXPECT_TRUE(SameBits(c.span().first(start.size()), want));
          }
        }
      }
    }
  }
}

// The vectors of each instruction set of the machine. Other tests use those of the process.
std::vector<int> Lanes() {
  if (*DetectBestIsa() == Isa::kAvx2) return {8};
  return {8, 16};
}

TEST(PortableRowProduct, HasTheBitsOfItsDefinitionAtEachInstructionSet) {
  const ComputeScope scope(1);
  for (const Sizes& sizes : kSizes) {
    const Values a = RandomValues(sizes.rows * sizes.inner, 1);
    const Values b = RandomValues(sizes.inner * sizes.columns, 2);
    const Values bias = RandomValues(sizes.columns, 3);
    for (const auto order : {PanelSource::Order::kAcross, PanelSource::Order::kAlong}) {
      const bool along = order == PanelSource::Order::kAlong;
      Values want;
      for (int64_t m = 0; m < sizes.rows; ++m) {
        for (int64_t n = 0; n < sizes.columns; ++n) {
          want.push_back(SumOf(
                             sizes.inner, [&](int64_t k) { return a[m * sizes.inner + k]; },
                             [&](int64_t k) {
                               return along ? b[n * sizes.inner + k] : b[k * sizes.columns + n];
                             }) +
                         bias[n]);
        }
      }
      for (const int lanes : Lanes()) {
        SCOPED_TRACE(absl::StrCat(sizes.rows, "x", sizes.inner, "x", sizes.columns, " lanes ",
                                  lanes, " along ", along));
        const RowProduct product({.images = sizes.rows,
                                  .source_image = sizes.inner,
                                  .result_image = sizes.columns,
                                  .classes = {{.rows = {{}}, .taps = {{}}}},
                                  .inner = sizes.inner,
                                  .columns = sizes.columns,
                                  .order = order,
                                  .factor_stride = along ? sizes.inner : sizes.columns,
                                  .lanes = lanes});
        Values c(want.size());
        product.ComputeUnits({a.data(), b.data(), bias.data(), c.data()}, 0, product.units());
        EXPECT_TRUE(SameBits(c, want));
      }
    }
  }
}

TEST(PortablePositionProduct, HasTheBitsOfItsDefinitionAtEachInstructionSet) {
  const ComputeScope scope(1);
  for (const Sizes& sizes : kSizes) {
    const Values a = RandomValues(sizes.inner * sizes.rows, 1);
    const Values b = RandomValues(sizes.inner * sizes.columns, 2);
    Values want;
    for (int64_t m = 0; m < sizes.rows; ++m) {
      for (int64_t n = 0; n < sizes.columns; ++n) {
        want.push_back(SumOf(
            sizes.inner, [&](int64_t k) { return a[k * sizes.rows + m]; },
            [&](int64_t k) { return b[k * sizes.columns + n]; }));
      }
    }
    for (const int lanes : Lanes()) {
      SCOPED_TRACE(absl::StrCat(sizes.rows, "x", sizes.inner, "x", sizes.columns, " ", lanes));
      const PositionProduct product({.positions = sizes.inner,
                                     .source_position = sizes.rows,
                                     .taps = {{{.last = sizes.inner}}},
                                     .rows = sizes.rows,
                                     .columns = sizes.columns,
                                     .gradient_position = sizes.columns,
                                     .result_row = sizes.columns,
                                     .lanes = lanes});
      Values c(want.size());
      product.ComputeUnits({a.data(), b.data(), c.data()}, 0, product.units());
      EXPECT_TRUE(SameBits(c, want));
    }
  }
}

}  // namespace
}  // namespace dl::nn::portable_product
