// Tests hidden tokens that a model has to fill in.
#include "dataset/token_masks.h"

#include <algorithm>
#include <cmath>

#include "dataset/readers/text/text_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::dataset {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kSteps = 200, kTokens = 10;  // the last token is <mask>

Schema SchemaOf(double probability) {
  return {.feature_shape = {kSteps, 1},
          .labels = ClassLabels{
              .classes = kTokens, .per_example = kSteps, .mask_probability = probability}};
}

struct Example {
  std::vector<float> tokens = std::vector<float>(kSteps, 4);
  std::vector<int32_t> labels = std::vector<int32_t>(kSteps, 4);
  bool operator==(const Example&) const = default;
};

Example Hidden(double probability, const TokenDraw& draw) {
  Example example;
  HideTokens(SchemaOf(probability), draw, example.tokens, example.labels);
  return example;
}

TEST(TokenMasks, SharesOfMaskedTokensMatch) {
  constexpr int64_t kExamples = 500;
  int64_t asked = 0, masks = 0, same = 0, others = 0;
  for (uint64_t id = 0; id < kExamples; ++id) {
    const Example example = Hidden(0.3, {.seed = 5, .example = id});
    for (int64_t i = 0; i < kSteps; ++i) {
      if (example.labels[i] == kNoLabel) {
        ASSERT_EQ(example.tokens[i], 4) << "what is not asked for is not touched";
        continue;
      }
      ASSERT_EQ(example.labels[i], 4);
      ++asked;
      masks += example.tokens[i] == kTokens - 1;
      same += example.tokens[i] == 4;
      others += example.tokens[i] < kTokens - 1 && example.tokens[i] != 4;
    }
  }
  const double all = kExamples * kSteps, share = asked / all;
  // Within five standard deviations.
  EXPECT_NEAR(share, 0.3, 5 * std::sqrt(0.3 * 0.7 / all));
  EXPECT_NEAR(masks / static_cast<double>(asked), 0.8, 0.012);
  EXPECT_NEAR(same / static_cast<double>(asked), 0.1 + 0.1 / 9, 0.01);
  EXPECT_NEAR(others / static_cast<double>(asked), 0.1 * 8 / 9, 0.01);
}

TEST(TokenMasks, AtLeastOneTokenIsMasked) {
  for (uint64_t id = 0; id < 50; ++id) {
    const Example example = Hidden(1e-9, {.seed = 5, .example = id});
    EXPECT_EQ(std::ranges::count(example.labels, 4), 1);
  }
}

TEST(TokenMasks, DependOnSeedEpochAndExample) {
  const TokenDraw draw{.seed = 5, .epoch = 2, .example = 9};
  EXPECT_EQ(Hidden(0.3, draw), Hidden(0.3, draw));
  EXPECT_NE(Hidden(0.3, draw), Hidden(0.3, {.seed = 6, .epoch = 2, .example = 9}));
  EXPECT_NE(Hidden(0.3, draw), Hidden(0.3, {.seed = 5, .epoch = 3, .example = 9}));
  EXPECT_NE(Hidden(0.3, draw), Hidden(0.3, {.seed = 5, .epoch = 2, .example = 8}));
}

TEST(TokenMasks, LabelsAreTokens) {
  const test::TempFolder folder;
  job::TextSource source{.path = folder.Write("t.txt", "a b a c\na b <mask> b\n")};
  source.steps = 5;
  source.Words(4).Masked();
  const auto table = ReadText(source, {});
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->schema.class_names(), ElementsAre("<unk>", "a", "b", "<mask>"));
  EXPECT_EQ(table->schema.mask_probability(), 0.15);
  EXPECT_EQ(table->examples, 2) << "none needs a token behind it";
  EXPECT_THAT(table->classes, ElementsAre(1, 2, 1, 0, 0, 1, 2, 3, 2, 0));
  EXPECT_TRUE(std::ranges::equal(table->u8, table->classes));
  source.vocabulary_size = 0;
  const auto all = ReadText(source, {});
  DL_ASSERT_OK(all);
  EXPECT_THAT(all->schema.class_names(), ElementsAre("<unk>", "a", "b", "<eos>", "c", "<mask>"));
  job::TextSource other = source;
  other.mask_probability = 0.2;
  EXPECT_THAT(ReadText(other, {.training = &table->schema}),
              test::IsError(absl::StatusCode::kInvalidArgument, "asks for a share of 0.2"));
}

}  // namespace
}  // namespace dl::dataset
