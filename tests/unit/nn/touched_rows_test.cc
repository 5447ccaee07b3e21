// Tables of which a minibatch uses few rows: their gradients, and updates of only those rows.
#include "nn/touched_rows.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(TouchedRows, KnowWhatTheyClear) {
  TouchedRows touched(5, 2);
  std::vector<float> gradient(10, 7.0f);
  EXPECT_TRUE(touched.all()) << "of a buffer that nobody knows";
  EXPECT_FALSE(touched.AreFew());
  touched.Clear(gradient.data());
  EXPECT_THAT(gradient, Each(0.0f));
  EXPECT_FALSE(touched.all());
  touched.Add(3);
  touched.Add(3);
  EXPECT_THAT(touched.rows(), ElementsAre(3));
  EXPECT_TRUE(touched.AreFew());
  std::ranges::fill(gradient, 7.0f);
  touched.Clear(gradient.data());
  EXPECT_THAT(gradient, ElementsAre(7, 7, 7, 7, 7, 7, 0, 0, 7, 7));
  touched.Add(3);
  touched.Add(1);
  EXPECT_THAT(touched.rows(), ElementsAre(3, 1)) << "again";
  EXPECT_FALSE(touched.AreFew()) << "two of five";
  touched.SetAll();
  touched.Clear(gradient.data());
  EXPECT_THAT(gradient, Each(0.0f));
  EXPECT_TRUE(touched.rows().empty());
}

constexpr int64_t kWords = 400;

// With a constraint that no row reaches, each step visits the whole table.
enum class Steps { kOverFewRows, kOverAllRows };
ModelConfig Words(const UpdaterConf& updater, Steps steps, double clip_by_norm = 0) {
  Embedding embedding(kWords, 5);
  if (steps == Steps::kOverAllRows) embedding.WeightConstraint(MaxNorm(1e6));
  Sequential model("words");
  model.Updater(updater).ClipGradientsByValue(0.02).Input(Sequence(4, 1)).Layer(embedding);
  if (clip_by_norm > 0) model.ClipGradientsByNorm(clip_by_norm);
  auto built = model.Layer(Flatten()).Layer(Output(3).Loss(SoftmaxCrossEntropy())).Build();
  EXPECT_THAT(built, test::IsOk());
  return *std::move(built);
}

struct WordRows {
  std::vector<float> features;
  std::vector<int32_t> labels;
  Minibatch View() const {
    return {
        .examples = static_cast<int64_t>(labels.size()), .features = features, .labels = labels};
  }
};
// Some words occur in every minibatch, and some twice in an example.
WordRows WordsOf(int64_t number, int64_t examples) {
  WordRows data;
  for (int64_t i = 0; i < examples * 4; ++i)
    data.features.push_back(static_cast<float>(i % 4 == 3 ? 1 : (37 * number + 11 * i) % kWords));
  for (int64_t i = 0; i < examples; ++i) data.labels.push_back(static_cast<int32_t>(i % 3));
  return data;
}

std::vector<float> StateSoFar(const Network& network) {
  std::vector<float> state(network.table().size());
  EXPECT_THAT(network.Store(state), test::IsOk());
  return state;
}

// Returns the states after some steps with minibatches of several sizes, and the gradient of a
// further one.
std::vector<std::vector<float>> Trained(const ModelConfig& model, int64_t micro_batch = 0) {
  constexpr int64_t kBatch = 8;
  auto network = Network::Create(model, {.max_batch = kBatch, .micro_batch = micro_batch});
  EXPECT_THAT(network, test::IsOk());
  EXPECT_THAT((*network)->Load(InitialState(model, 3, kBatch)), test::IsOk());
  std::vector<std::vector<float>> seen = {StateSoFar(**network)};
  int64_t count = 0;
  for (const int64_t examples : {8, 3, 8, 8, 1, 5}) {
    ++count;
    EXPECT_THAT((*network)->TrainStep(WordsOf(count, examples).View(),
                                      {.learning_rate = 0.5, .update_count = count}),
                test::IsOk());
    seen.push_back(StateSoFar(**network));
  }
  seen.emplace_back((*network)->table().SizeOf(SegmentKind::kParameter));
  EXPECT_THAT((*network)->Gradient(WordsOf(9, 2).View(), {}, seen.back()), test::IsOk());
  return seen;
}

TEST(FewRows, StepsOverThemAreThoseOverTheWholeTable) {
  for (const UpdaterConf& updater : {UpdaterConf(Sgd(0.5)), UpdaterConf(AdaGrad(0.5))}) {
    for (const double clip : {0.0, 0.01}) {
      const auto few = Trained(Words(updater, Steps::kOverFewRows, clip));
      const auto all = Trained(Words(updater, Steps::kOverAllRows, clip));
      EXPECT_EQ(few, all) << TagOf(updater) << ", clipped to " << clip;
      for (size_t i = 1; i + 1 < few.size(); ++i) EXPECT_NE(few[i], few[i - 1]);
      EXPECT_EQ(Trained(Words(updater, Steps::kOverFewRows, clip), /*micro_batch=*/3),
                Trained(Words(updater, Steps::kOverAllRows, clip), /*micro_batch=*/3));
    }
  }
}

// Updates without a gradient: momentum of earlier gradients, and decay of weights.
TEST(FewRows, RulesThatChangeTheOthersLookAtThem) {
  const auto changed = [](const ModelConfig& model) {
    const auto seen = Trained(model);
    int64_t values = 0;  // values of the table that changed
    for (int64_t i = 0; i < kWords * 5; ++i) values += seen[1][i] != seen[2][i];
    return values;
  };
  // The second minibatch has three examples of four words.
  EXPECT_LE(changed(Words(Sgd(0.5), Steps::kOverFewRows)), 3 * 4 * 5);
  EXPECT_GT(changed(Words(Momentum(0.5), Steps::kOverFewRows)), 3 * 4 * 5);
  ModelConfig decays = Words(Sgd(0.5), Steps::kOverFewRows);
  for (ParameterConf& parameter : decays.layers.front().parameters) parameter.l2 = 0.1;
  EXPECT_GT(changed(decays), kWords * 4);
}

// Two branches whose words are rows of the same table.
TEST(FewRows, SharedTableUpdatesAllRows) {
  const auto model = [](Steps steps) {
    Embedding table(kWords, 5);
    if (steps == Steps::kOverAllRows) table.WeightConstraint(MaxNorm(1e6));
    auto built =
        Sequential("branches")
            .Updater(Sgd(0.5))
            .Input("left", Sequence(2, 1))
            .Input("right", Sequence(2, 1))
            .Layer(Embedding(table).Name("of_left").Inputs({"left"}))
            .Layer(Embedding(kWords, 5).Name("of_right").Inputs({"right"}).WeightsOf("of_left"))
            .Layer(Concat().Inputs({"of_left", "of_right"}))
            .Layer(Flatten())
            .Layer(Output(3).Loss(SoftmaxCrossEntropy()))
            .Build();
    EXPECT_THAT(built, test::IsOk());
    return *std::move(built);
  };
  EXPECT_EQ(Trained(model(Steps::kOverFewRows)), Trained(model(Steps::kOverAllRows)));
}

}  // namespace
}  // namespace dl::nn
