// Tests that recurrent layers compute the same bits with weights that are packed once for all
// steps.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/float_buffer.h"
#include "nn/backend/matrix_product.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/kernel_contract.h"
#include "nn/network.h"
#include "nn/tensor_copy.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

// Returns C after the product, for factors that depend on the sizes alone.
std::vector<float> MatrixProductOf(const MatrixProductGeometry& geometry) {
  const auto product = MatrixProduct(geometry);
  DL_EXPECT_OK(product);
  auto a = FloatBuffer::Create(geometry.rows * geometry.inner);
  auto b = FloatBuffer::Create(geometry.inner * geometry.columns);
  auto c = FloatBuffer::Create(geometry.rows * geometry.columns);
  auto packed = FloatBuffer::Create(product->storage_floats(Role::kWeights));
  auto scratch = FloatBuffer::Create(product->storage_floats(Role::kScratchpad));
  for (FloatBuffer* buffer : {&*a, &*b, &*c}) {
    for (int64_t i = 0; i < buffer->size(); ++i)
      buffer->data()[i] = static_cast<float>(i * 2654435761 % 1000) / 1000 - 0.5f;
  }
  const Layout plain = MatrixProductB(geometry), wanted = product->layout(Role::kWeights);
  float* factor = b->data();
  if (!(plain == wanted)) {
    const auto packing = TensorCopy::Create(*Reorder(plain, wanted), b->data(), packed->data());
    DL_EXPECT_OK(packing->Run());
    factor = packed->data();
  }
  const auto bound = product->Bind({{Role::kSource, a->data()},
                                    {Role::kWeights, factor},
                                    {Role::kScratchpad, scratch->data()},
                                    {Role::kDestination, c->data()}});
  DL_EXPECT_OK(bound);
  DL_EXPECT_OK(bound->Run());
  return {c->data(), c->data() + c->size()};
}

TEST(PackedWeights, ProductHasTheBitsOfTheProductWithPlainWeights) {
  DL_ASSERT_OK(ProcessIsa());
  for (const int64_t units : {5, 37, 64, 200, 256}) {
    for (const int64_t examples : {1, 5, 20, 32}) {
      MatrixProductGeometry forward{.rows = examples,
                                    .inner = units,
                                    .columns = 4 * units,
                                    .b = MatrixProductGeometry::Storage::kTransposed,
                                    .result = MatrixProductGeometry::Result::kAdd};
      MatrixProductGeometry back{.rows = examples, .inner = 4 * units, .columns = units};
      for (MatrixProductGeometry* geometry : {&forward, &back}) {
        const std::vector<float> plain = MatrixProductOf(*geometry);
        geometry->packs_b = true;
        EXPECT_EQ(MatrixProductOf(*geometry), plain)
            << units << " units, " << examples << " examples";
      }
    }
  }
}

// The packed weights of a step are those after the last update: a step gives the same state in a
// network that has made steps before and in a new one.
TEST(PackedWeights, EachStepPacksTheWeightsAgain) {
  constexpr int64_t kExamples = 3, kSteps = 20, kUnits = 20;
  for (const bool gru : {false, true}) {
    Sequential sequential("model");
    sequential.Updater(Nesterov(0.1)).Input(Sequence(kSteps, kUnits));
    if (gru) {
      sequential.Layer(Gru(kUnits).ResetBefore());
    } else {
      sequential.Layer(Lstm(kUnits));
    }
    const auto model =
        sequential.Layer(LastStep()).Layer(Output(2).Loss(SoftmaxCrossEntropy())).Build();
    DL_ASSERT_OK(model);
    std::vector<float> features(kExamples * kSteps * kUnits);
    for (size_t i = 0; i < features.size(); ++i) features[i] = static_cast<float>(i % 13) / 13;
    const std::vector<int32_t> labels = {0, 1, 0};
    const auto train = [&](Network& network, int64_t step) {
      DL_EXPECT_OK(
          network.TrainStep({.examples = kExamples, .features = features, .labels = labels},
                            {.step = step, .learning_rate = 0.1, .update_count = step + 1}));
    };
    auto one = Network::Create(*model, {.max_batch = kExamples});
    auto other = Network::Create(*model, {.max_batch = kExamples});
    DL_ASSERT_OK(one);
    DL_ASSERT_OK(other);
    std::vector<float> state = InitialState(*model, 1), expected(state.size());
    DL_ASSERT_OK((*one)->Load(state));
    train(**one, 0);
    DL_ASSERT_OK((*one)->Store(state));
    train(**one, 1);
    DL_ASSERT_OK((*one)->Store(expected));
    DL_ASSERT_OK((*other)->Load(state));
    train(**other, 1);
    DL_ASSERT_OK((*other)->Store(state));
    EXPECT_EQ(state, expected) << (gru ? "gru" : "lstm");
  }
}

}  // namespace
}  // namespace dl::nn
