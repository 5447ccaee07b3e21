// AmxAttention against oneDNN's products and the same softmax, bit for bit.
#include "nn/kernels/amx/amx_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/philox.h"
#include "nn/backend/compute_scope.h"
#include "nn/backend/matrix_product.h"
#include "nn/kernel_contract.h"
#include "nn/kernels/bf16.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using Storage = MatrixProductGeometry::Storage;
using Numbers = std::vector<uint16_t>;  // bf16

template <typename T>
class Aligned {
 public:
  explicit Aligned(int64_t n) : values_(n + 64 / sizeof(T)) {}
  T* data() {
    return reinterpret_cast<T*>((reinterpret_cast<uintptr_t>(values_.data()) + 63) / 64 * 64);
  }

 private:
  std::vector<T> values_;
};

struct Case {
  int64_t steps, heads, size;
  bool causal;
  std::vector<int32_t> lengths;  // of two examples; empty: all steps

  std::string Name() const {
    return std::to_string(steps) + " steps, " + std::to_string(heads) + " heads of " +
           std::to_string(size) + (causal ? ", causal" : "") + (lengths.empty() ? "" : ", lengths");
  }
  int64_t Features() const { return heads * size; }
  ScoresShape Scores() const {
    return {.matrices = 2 * heads,
            .rows = steps,
            .columns = steps,
            .causal = causal,
            .scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(size))),
            .heads = heads,
            .lengths = lengths.empty() ? nullptr : lengths.data()};
  }
};

Numbers RandomNumbers(int64_t n, uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = RandomPurpose::kForTests});
  std::vector<float> values(n);
  for (float& value : values) value = static_cast<float>(2 * random.NextDouble() - 1);
  Numbers numbers(n);
  RoundToBf16(values.data(), numbers.data(), n);
  return numbers;
}

// Computes attention with oneDNN's products of matrices, [matrices, steps, size] each.
class Reference {
 public:
  explicit Reference(const Case& c) : c_(c), scores_(c.Scores()) {}

  // Returns the columns of each head, beginning at column `begin` of rows of `width` numbers.
  Numbers Split(const Numbers& rows, int64_t width, int64_t begin) const {
    Numbers matrices(2 * c_.steps * c_.Features());
    SplitHeads(Shape(width, begin), {0, scores_.matrices}, rows.data(), matrices.data());
    return matrices;
  }
  void Merge(const std::vector<float>& matrices, int64_t width, int64_t begin,
             Numbers* rows) const {
    MergeHeads(Shape(width, begin), {0, scores_.matrices}, matrices.data(), rows->data());
  }
  std::vector<float> Scores(const Numbers& a, const Numbers& b) const {
    return Multiply(
        {.rows = c_.steps, .inner = c_.size, .columns = c_.steps, .b = Storage::kTransposed}, a, b);
  }
  std::vector<float> ByQueries(const Numbers& weights, const Numbers& factor) const {
    return Multiply({.rows = c_.steps, .inner = c_.steps, .columns = c_.size}, weights, factor);
  }
  std::vector<float> ByKeys(const Numbers& weights, const Numbers& factor) const {
    return Multiply(
        {.rows = c_.steps, .inner = c_.steps, .columns = c_.size, .a = Storage::kTransposed},
        weights, factor);
  }
  static Numbers Rounded(const std::vector<float>& values) {
    Numbers numbers(values.size());
    RoundToBf16(values.data(), numbers.data(), static_cast<int64_t>(values.size()));
    return numbers;
  }

 private:
  HeadsShape Shape(int64_t width, int64_t begin) const {
    return {.examples = 2,
            .steps = c_.steps,
            .heads = c_.heads,
            .size = c_.size,
            .width = width,
            .begin = begin};
  }
  std::vector<float> Multiply(MatrixProductGeometry g, const Numbers& a, const Numbers& b) const {
    g.batch = scores_.matrices;
    g.factors = DataType::kBf16;
    const auto product = MatrixProduct(g);
    DL_EXPECT_OK(product);
    if (!product.ok()) return {};
    Aligned<uint16_t> to_a(a.size()), to_b(b.size());
    Aligned<float> c(g.batch * g.rows * g.columns);
    Aligned<float> scratch(product->storage_floats(Role::kScratchpad));
    std::copy(a.begin(), a.end(), to_a.data());
    std::copy(b.begin(), b.end(), to_b.data());
    const auto bound = product->Bind({{Role::kSource, to_a.data()},
                                      {Role::kWeights, to_b.data()},
                                      {Role::kDestination, c.data()},
                                      {Role::kScratchpad, scratch.data()}});
    DL_EXPECT_OK(bound);
    if (!bound.ok()) return {};
    DL_EXPECT_OK(bound->Run());
    return {c.data(), c.data() + g.batch * g.rows * g.columns};
  }

  const Case& c_;
  ScoresShape scores_;
};

class AmxAttentionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto level = ProcessIsa();
    DL_ASSERT_OK(level);
    if (*level != Isa::kAmx) GTEST_SKIP() << "this process does not compute with AMX";
  }
};

TEST_F(AmxAttentionTest, HasBitsOfProductsByOnednn) {
  const ComputeScope scope(1);
  for (const Case& c : {Case{32, 1, 32, false, {}}, Case{64, 2, 64, true, {}},
                        Case{160, 3, 32, true, {}}, Case{128, 2, 96, false, {}},
                        Case{96, 2, 64, false, {5, 96}}, Case{96, 2, 64, true, {33, 64}}}) {
    SCOPED_TRACE(c.Name());
    const int64_t n = c.Features(), rows = 2 * c.steps;
    const ScoresShape scores = c.Scores();
    const Numbers x = RandomNumbers(rows * 3 * n, 1), dy = RandomNumbers(rows * n, 2);

    const Reference reference(c);
    const Numbers q = reference.Split(x, 3 * n, 0), k = reference.Split(x, 3 * n, n);
    const Numbers v = reference.Split(x, 3 * n, 2 * n), answers = reference.Split(dy, n, 0);
    std::vector<float> p = reference.Scores(q, k);
    AttentionWeights(scores, {0, scores.matrices}, p.data());
    const Numbers rounded = Reference::Rounded(p);
    Numbers y(rows * n), dx(rows * 3 * n);
    reference.Merge(reference.ByQueries(rounded, v), n, 0, &y);
    reference.Merge(reference.ByKeys(rounded, answers), 3 * n, 2 * n, &dx);
    std::vector<float> dp = reference.Scores(answers, v);
    AttentionWeightsGradient(scores, {0, scores.matrices}, p.data(), dp.data());
    const Numbers d_rounded = Reference::Rounded(dp);
    reference.Merge(reference.ByQueries(d_rounded, k), 3 * n, 0, &dx);
    reference.Merge(reference.ByKeys(d_rounded, q), 3 * n, n, &dx);

    ASSERT_TRUE(AmxAttention::Supports(c.steps, c.size));
    AmxAttention attention(scores, c.size);
    attention.SetLengths(scores.lengths);
    Aligned<float> scratch(attention.scratch_floats());
    Aligned<float> weights(scores.matrices * c.steps * c.steps);
    Numbers own_y(rows * n), own_dx(rows * 3 * n);
    attention.Forward(x.data(), scratch.data(), weights.data(), own_y.data());
    attention.Backward(x.data(), weights.data(), dy.data(), scratch.data(), own_dx.data());
    EXPECT_EQ(own_y, y);
    EXPECT_EQ(own_dx, dx);
  }
}

TEST_F(AmxAttentionTest, SupportsOnlyWholeTiles) {
  EXPECT_TRUE(AmxAttention::Supports(32, 64));
  EXPECT_FALSE(AmxAttention::Supports(48, 64));
  EXPECT_FALSE(AmxAttention::Supports(64, 48));
}

}  // namespace
}  // namespace dl::nn
