#include "dataset/embedding_indices.h"

#include "gtest/gtest.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"

namespace dl::dataset {
namespace {

using test::IsError;

// Returns a table with a number and a category of three values.
Schema TableOf(bool unknown_is_error) {
  return {.feature_shape = {2},
          .features = FloatFeatures{.columns = {{.name = "size"},
                                                {.name = "zone",
                                                 .encoding = ColumnEncoding::kIndex,
                                                 .categories = {"a", "b", "c"},
                                                 .unknown_is_error = unknown_is_error}}},
          .labels = ClassLabels{.classes = 2}};
}

StatusOr<nn::ModelConfig> ModelOf(int64_t indices) {
  return nn::Sequential("m")
      .Input("size", nn::FeedForward(1))
      .Input("zone", nn::FeedForward(1))
      .Layer(nn::Embedding(indices, 4).Inputs({"zone"}).Name("embedded"))
      .Layer(nn::Concat().Inputs({"size", "embedded"}))
      .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()))
      .Build();
}

TEST(EmbeddingIndices, UnknownCategoriesNeedAnIndex) {
  const auto three = ModelOf(3), four = ModelOf(4);
  ASSERT_THAT(three, test::IsOk());
  ASSERT_THAT(four, test::IsOk());
  EXPECT_THAT(CheckEmbeddingIndices(TableOf(false), *three),
              IsError(absl::StatusCode::kInvalidArgument,
                      "the column \"zone\" has 3 categories and one index for unknown "
                      "ones, but layer \"embedded\" has 3 indices"));
  EXPECT_THAT(CheckEmbeddingIndices(TableOf(false), *four), test::IsOk());
  EXPECT_THAT(CheckEmbeddingIndices(TableOf(true), *three), test::IsOk());
  const auto two = ModelOf(2);
  ASSERT_THAT(two, test::IsOk());
  EXPECT_THAT(CheckEmbeddingIndices(TableOf(true), *two),
              IsError(absl::StatusCode::kInvalidArgument,
                      "has 3 categories, but layer \"embedded\" has 2 indices"));
}

TEST(EmbeddingIndices, NamedInputsUseTheirColumns) {
  const auto model = nn::Sequential("m")
                         .Input("size", nn::FeedForward(1))
                         .Input("zone", nn::FeedForward(1))
                         .Layer(nn::Embedding(3, 4).Inputs({"zone"}).Name("embedded"))
                         .Layer(nn::Concat().Inputs({"size", "embedded"}))
                         .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()))
                         .Build();
  ASSERT_THAT(model, test::IsOk());
  EXPECT_THAT(CheckEmbeddingIndices(TableOf(false), *model),
              IsError(absl::StatusCode::kInvalidArgument, "\"zone\""));
}

class NormalizedIndices : public testing::Test {
 protected:
  // Checks a training set of features with the shape, whose entries have these first numbers.
  static Status Check(const nn::Sequential& model, std::vector<int64_t> shape,
                      std::vector<double> first) {
    Manifest training{.schema = {.feature_shape = std::move(shape)}};
    training.normalizer = {.kind = NormalizerKind::kStandardize, .first = std::move(first)};
    training.normalizer.second.assign(training.normalizer.first.size(), 1.0);
    const auto built = model.Build();
    EXPECT_TRUE(built.ok()) << built.status();
    return built.ok() ? CheckIndicesAreNotNormalized(training, *built) : built.status();
  }
  static nn::Sequential Words() {
    return nn::Sequential("m")
        .Input(nn::Sequence(3, 1))
        .Layer(nn::Embedding(9, 4).Name("words"))
        .Layer(nn::LastStep())
        .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()));
  }
};

TEST_F(NormalizedIndices, OfArraysAreRefused) {
  const Status refused = Check(Words(), {3, 1}, {4.5});
  EXPECT_THAT(refused, IsError(absl::StatusCode::kInvalidArgument,
                               "layer \"words\" reads indices, and the normalizer "
                               "\"standardize\" changes them"));
  EXPECT_EQ(ErrorWhere(refused), "data.normalizer");
  EXPECT_EQ(ErrorRemedy(refused), "Set it to \"none\"");
  EXPECT_THAT(Check(Words(), {3, 1}, {0}), test::IsOk()) << "the entry changes nothing";
}

TEST_F(NormalizedIndices, OtherFeaturesMayBeNormalized) {
  const nn::Sequential model = nn::Sequential("m")
                                   .Input("size", nn::FeedForward(2))
                                   .Input("zone", nn::FeedForward(1))
                                   .Layer(nn::Embedding(3, 4).Inputs({"zone"}).Name("zones"))
                                   .Layer(nn::Concat().Inputs({"size", "zones"}))
                                   .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()));
  EXPECT_THAT(Check(model, {3}, {4, 5, 0}), test::IsOk());
  EXPECT_THAT(Check(model, {3}, {0, 0, 1}),
              IsError(absl::StatusCode::kInvalidArgument, "\"zones\" reads indices"));
}

}  // namespace
}  // namespace dl::dataset
