// The examples that a model gets most wrong.
#include "inference/serving/worst_mistakes.h"

#include <cmath>

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"

namespace dl::inference {
namespace {

using testing::ElementsAre;

nn::ModelConfig ModelWith(nn::Output output) {
  auto model = nn::Sequential("m").Input(nn::FeedForward(2)).Layer(std::move(output)).Build();
  EXPECT_THAT(model, test::IsOk());
  return *model;
}

dataset::Manifest Classes(int64_t classes, std::vector<std::string> names = {}) {
  return {
      .schema = {.feature_shape = {2},
                 .labels = dataset::ClassLabels{.classes = classes, .names = std::move(names)}}};
}

std::vector<int64_t> PositionsOf(const WorstMistakes& mistakes) {
  std::vector<int64_t> positions;
  for (const WorstMistakes::Mistake& mistake : mistakes.worst())
    positions.push_back(mistake.position);
  return positions;
}

TEST(WorstMistakes, MisclassifiedExamplesAreOrderedByTheirLoss) {
  WorstMistakes mistakes(ModelWith(nn::Output(3).Loss(nn::SoftmaxCrossEntropy())),
                         Classes(3, {"a", "b", "c"}), 3);
  const std::vector<float> first = {0.9f, 0.1f,  0,      // right
                                    0.7f, 0.2f,  0.1f,   // b, taken for a
                                    0.1f, 0.85f, 0.05f,  // c, taken for b: the worst
                                    0.3f, 0.4f,  0.3f};  // no label
  const std::vector<int32_t> labels = {0, 1, 2, -1};
  ASSERT_THAT(mistakes.Add({.examples = 4, .classes = labels}, first, 0), test::IsOk());
  const std::vector<float> second = {0.7f,  0.2f,  0.1f,   // as before, so it comes after it
                                     0.51f, 0.49f, 0,      // the least wrong one is left out
                                     0.1f,  0.8f,  0.1f};  // wrong, but its weight is 0
  const std::vector<int32_t> more = {1, 1, 2};
  const std::vector<float> weights = {1, 2, 0};
  ASSERT_THAT(mistakes.Add({.examples = 3, .weights = weights, .classes = more}, second, 4),
              test::IsOk());
  EXPECT_THAT(PositionsOf(mistakes), ElementsAre(2, 1, 4));
  EXPECT_EQ(mistakes.wrong(), 4);
  const WorstMistakes::Mistake& worst = mistakes.worst()[0];
  EXPECT_NEAR(worst.loss, -std::log(0.05), 1e-6);
  EXPECT_EQ(worst.shown,
            (Json{{"predicted", "b"}, {"probability", 0.85}, {"label_probability", 0.05}}));
  EXPECT_STREQ(WorstMistakes::NameOf(mistakes.measure()), "log_loss");
}

TEST(WorstMistakes, WrongExamplesAreCountedWithoutAList) {
  WorstMistakes mistakes(ModelWith(nn::Output(2).Loss(nn::SoftmaxCrossEntropy())), Classes(2), 0);
  const std::vector<float> predictions = {0.9f, 0.1f, 0.8f, 0.2f};
  const std::vector<int32_t> labels = {1, 0};
  ASSERT_THAT(mistakes.Add({.examples = 2, .classes = labels}, predictions, 0), test::IsOk());
  EXPECT_EQ(mistakes.wrong(), 1);
  EXPECT_TRUE(mistakes.worst().empty());
}

TEST(WorstMistakes, NumberThatIsNoneIsTheWorst) {
  WorstMistakes mistakes(ModelWith(nn::Output(2).Loss(nn::SoftmaxCrossEntropy())), Classes(2), 8);
  const std::vector<float> predictions = {1, 0, std::nanf(""), std::nanf("")};
  const std::vector<int32_t> labels = {1, 1};
  ASSERT_THAT(mistakes.Add({.examples = 2, .classes = labels}, predictions, 0), test::IsOk());
  EXPECT_THAT(PositionsOf(mistakes), ElementsAre(1, 0));
  EXPECT_TRUE(std::isinf(mistakes.worst()[0].loss));
  EXPECT_FALSE(std::isinf(mistakes.worst()[1].loss)) << "a probability of 0 counts as a small one";
}

TEST(WorstMistakes, NoNumbersAreNoRightPredictionOfTheFirstClass) {
  WorstMistakes mistakes(ModelWith(nn::Output(2).Loss(nn::SoftmaxCrossEntropy())), Classes(2), 8);
  const std::vector<float> predictions = {std::nanf(""), std::nanf("")};
  const std::vector<int32_t> labels = {0};
  ASSERT_THAT(mistakes.Add({.examples = 1, .classes = labels}, predictions, 0), test::IsOk());
  EXPECT_THAT(PositionsOf(mistakes), ElementsAre(0));
}

TEST(WorstMistakes, StepsAfterTheEndDoNotCount) {
  auto model = nn::Sequential("m")
                   .Input(nn::VariableSequence(2, 2))
                   .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()))
                   .Build();
  ASSERT_THAT(model, test::IsOk());
  const dataset::Manifest test = {
      .schema = {.feature_shape = {2, 2},
                 .variable_length = true,
                 .labels = dataset::ClassLabels{.classes = 2, .per_example = 2}}};
  WorstMistakes mistakes(*model, test, 8);
  const std::vector<float> predictions = {0.25f, 0.75f, 0.5f, 0.5f,  // one of two steps is wrong
                                          0.9f,  0.1f,  0,    1};    // its second step is padding
  const std::vector<int32_t> labels = {0, 0, 0, -1}, lengths = {2, 1};
  ASSERT_THAT(mistakes.Add({.examples = 2, .lengths = lengths, .classes = labels}, predictions, 0),
              test::IsOk());
  ASSERT_THAT(PositionsOf(mistakes), ElementsAre(0));
  EXPECT_NEAR(mistakes.worst()[0].loss, (std::log(4.0) + std::log(2.0)) / 2, 1e-6);
  EXPECT_EQ(mistakes.worst()[0].shown, (Json{{"wrong", 1}, {"labels", 2}}));
}

TEST(WorstMistakes, AnswersAreComparedWithYesAndNo) {
  WorstMistakes one(ModelWith(nn::Output(1).Loss(nn::BinaryCrossEntropy())),
                    {.schema = {.feature_shape = {2}, .labels = dataset::TargetLabels{.size = 1}}},
                    8);
  const std::vector<float> predictions = {0.9f, 0.6f, 0.25f, 0.75f}, targets = {0, 1, 1, 0.5f};
  ASSERT_THAT(one.Add({.examples = 4, .targets = targets}, predictions, 0), test::IsOk());
  EXPECT_THAT(PositionsOf(one), ElementsAre(0, 2));
  EXPECT_NEAR(one.worst()[0].loss, std::log(10.0), 1e-6);
  EXPECT_EQ(one.worst()[1].shown,
            (Json{{"predicted", 0}, {"probability", 0.75}, {"label_probability", 0.25}}));

  WorstMistakes two(ModelWith(nn::Output(2).Loss(nn::BinaryCrossEntropy())),
                    {.schema = {.feature_shape = {2}, .labels = dataset::TargetLabels{.size = 2}}},
                    8);
  ASSERT_THAT(two.Add({.examples = 2, .targets = targets}, predictions, 0), test::IsOk());
  ASSERT_THAT(PositionsOf(two), ElementsAre(0, 1));
  EXPECT_EQ(two.worst()[0].shown,
            (Json{{"wrong", 1}, {"labels", 2}, {"probabilities", {0.9, 0.6}}}));
  EXPECT_EQ(two.worst()[1].shown,
            (Json{{"wrong", 1}, {"labels", 1}, {"probabilities", {0.25, 0.75}}}))
      << "one target is neither";
}

TEST(WorstMistakes, NumbersAreShownInTheUnitOfTheData) {
  WorstMistakes mistakes(
      ModelWith(nn::Output(1).Loss(nn::MeanSquaredError())),
      {.schema = {.feature_shape = {2}, .labels = dataset::TargetLabels{.size = 1}},
       .target_normalizer = {.kind = dataset::NormalizerKind::kStandardize,
                             .first = {5000},
                             .second = {100}}},
      2);
  const std::vector<float> predictions = {0.5f, 3, 0}, targets = {0, 1, 0};
  ASSERT_THAT(mistakes.Add({.examples = 3, .targets = targets}, predictions, 10), test::IsOk());
  EXPECT_THAT(PositionsOf(mistakes), ElementsAre(11, 10));
  EXPECT_EQ(mistakes.worst()[0].loss, 4);
  EXPECT_EQ(mistakes.worst()[0].shown, (Json{{"predicted", 5300.0}}));
  EXPECT_FALSE(mistakes.wrong()) << "numbers are not right or wrong";
}

TEST(WorstMistakes, SequencesOfClassesAreComparedByEdits) {
  auto model = nn::Sequential("m")
                   .Input(nn::VariableSequence(3, 2))
                   .Layer(nn::Output(3).Loss(nn::Ctc()))
                   .Build();
  ASSERT_THAT(model, test::IsOk());
  const dataset::Manifest test = {.schema = {.feature_shape = {3, 2},
                                             .variable_length = true,
                                             .labels = dataset::ClassSequences{
                                                 .classes = 2, .names = {"x", "y"}, .longest = 2}}};
  WorstMistakes mistakes(*model, test, 8);
  const std::vector<float> predictions{1, 0, 0, 0, 0, 1, 1, 0, 0,   // x, x
                                       0, 1, 0, 1, 0, 0, 0, 1, 0};  // y; then its end
  const std::vector<int32_t> labels = {0, 1, 1, -1}, lengths = {3, 1};
  ASSERT_THAT(mistakes.Add({.examples = 2, .lengths = lengths, .classes = labels}, predictions, 0),
              test::IsOk());
  ASSERT_THAT(PositionsOf(mistakes), ElementsAre(0));
  EXPECT_EQ(mistakes.worst()[0].loss, 0.5);
  EXPECT_EQ(mistakes.worst()[0].shown, (Json{{"predicted", {"x", "x"}}}));
}

TEST(WorstMistakes, LossWithoutComparisonHasNone) {
  WorstMistakes mistakes(ModelWith(nn::Output(3).Loss(nn::Hinge())), Classes(3), 8);
  EXPECT_EQ(mistakes.measure() == WorstMistakes::Measure::kNone, true);
  EXPECT_THAT(mistakes.Add({.examples = 1}, std::vector<float>(3), 0), test::IsOk());
  EXPECT_TRUE(mistakes.worst().empty());
}

}  // namespace
}  // namespace dl::inference
