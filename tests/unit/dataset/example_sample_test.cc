// Tests samples of examples: whether a test set has the examples of its training set.
#include "dataset/example_sample.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace dl::dataset {
namespace {

// Returns the sample of the examples `first` to `last` - 1, which are numbers. Each occurs `times`
// times.
ExampleSample SampleOf(int64_t first, int64_t last, int64_t times = 1) {
  ExampleSampler sampler;
  for (int64_t t = 0; t < times; ++t) {
    for (int64_t i = first; i < last; ++i) sampler.Add(std::as_bytes(std::span(&i, 1)), sizeof(i));
  }
  return sampler.Sample();
}

TEST(ExampleSample, EqualExamplesInAnyOrderAreTheSame) {
  ExampleSampler reversed;
  for (int64_t i = 99; i >= 0; --i) reversed.Add(std::as_bytes(std::span(&i, 1)), sizeof(i));
  EXPECT_TRUE(HaveSameExamples(SampleOf(0, 100), reversed.Sample()));
  EXPECT_FALSE(HaveSameExamples(SampleOf(0, 100), SampleOf(0, 99)));
  EXPECT_FALSE(HaveSameExamples(SampleOf(0, 100), SampleOf(0, 100, 2)));
  EXPECT_FALSE(HaveSameExamples(ExampleSample(), ExampleSample()));
}

TEST(ExampleSample, PartOfTheTrainingSetIsFound) {
  const auto overlap = FindOverlap(SampleOf(60, 160), SampleOf(0, 130));
  ASSERT_TRUE(overlap);
  EXPECT_EQ(overlap->compared, 100);
  EXPECT_EQ(overlap->found, 70);
  EXPECT_FALSE(FindOverlap(SampleOf(100, 200), SampleOf(0, 120))) << "20 of 100 are few";
  EXPECT_FALSE(FindOverlap(SampleOf(0, 20), SampleOf(0, 130))) << "20 examples are few";
}

// Examples that repeat are also in a test set that is drawn like the training set.
TEST(ExampleSample, RepeatedExamplesAreNoSign) {
  EXPECT_EQ(SampleOf(0, 100, 3).repeated, 1);
  EXPECT_FALSE(FindOverlap(SampleOf(0, 100), SampleOf(0, 100, 3)));
}

// Rows that a file repeats are in both parts of a split.
TEST(ExampleSample, RepetitionsOfASplitAreFound) {
  const auto repeats = FindRepeats(SampleOf(0, 100), SampleOf(70, 300));
  ASSERT_TRUE(repeats);
  EXPECT_EQ(repeats->found, 30);
  EXPECT_FALSE(FindRepeats(SampleOf(0, 100), SampleOf(90, 300))) << "10 of 100 are few";
  EXPECT_FALSE(FindRepeats(SampleOf(0, 40, 5), SampleOf(0, 40, 20))) << "a table of few categories";
}

TEST(ExampleSample, LargeSetsAreComparedBySamples) {
  constexpr int64_t kMany = 300'000;
  const ExampleSample training = SampleOf(0, kMany);
  EXPECT_EQ(training.hashes.size(), ExampleSample::kMost);
  EXPECT_TRUE(std::ranges::is_sorted(training.hashes));
  EXPECT_EQ(training.repeated, 0);
  const auto overlap = FindOverlap(SampleOf(kMany / 2, kMany / 2 + 10'000), training);
  ASSERT_TRUE(overlap);
  EXPECT_EQ(overlap->found, overlap->compared);
  EXPECT_GT(overlap->compared, 500);
  EXPECT_FALSE(FindOverlap(SampleOf(kMany, 2 * kMany), training));
  EXPECT_TRUE(HaveSameExamples(SampleOf(0, kMany), training));
}

}  // namespace
}  // namespace dl::dataset
