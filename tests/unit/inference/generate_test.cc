#include "inference/generate.h"

#include <gtest/gtest.h>

#include "tests/unit/inference/small_checkpoint.h"

namespace dl::inference {
namespace {

using test::IsError;

constexpr int64_t kSteps = 6;
const std::vector<std::string> kLetters = {" ", "a", "b", "c", "d"};

nn::Sequential OfText() {
  return nn::Sequential("text").Updater(nn::Sgd(0.1)).Input(nn::Sequence(kSteps, 1));
}
nn::Sequential Lstm() {
  return OfText()
      .Layer(nn::Embedding(5, 6))
      .Layer(nn::Lstm(8))
      .Layer(nn::Output(5).Loss(nn::SoftmaxCrossEntropy()));
}
nn::Sequential Transformer(const nn::SelfAttention& attention) {
  return OfText()
      .Layer(nn::Embedding(5, 8))
      .Layer(nn::PositionalEmbedding())
      .Layer(attention)
      .Layer(nn::LayerNorm())
      .Layer(nn::Output(5).Loss(nn::SoftmaxCrossEntropy()));
}

LoadedCheckpoint Checkpoint(const nn::Sequential& model) {
  return CheckpointWithWeights(model,
                               ParameterAveraging().Workers(1).BatchSizePerWorker(4).Epochs(1));
}

dataset::Manifest Training() {
  dataset::Manifest manifest;
  manifest.schema = {
      .feature_shape = {kSteps, 1},
      .features = dataset::ByteFeatures{},
      .labels = dataset::ClassLabels{.classes = 5, .names = kLetters, .per_example = kSteps}};
  return manifest;
}

StatusOr<std::unique_ptr<LanguageModel>> Model(const nn::Sequential& model,
                                               const dataset::Manifest& training = Training()) {
  return LanguageModel::Create(Checkpoint(model), training, "");
}

std::string Written(LanguageModel& model, GenerateOptions options) {
  std::string text;
  options.write = [&](std::string_view piece) {
    text += piece;
    return absl::OkStatus();
  };
  DL_EXPECT_OK(GenerateText(model, options));
  return text;
}

TEST(Generate, SameCommandGivesSameText) {
  for (const auto& kind : {Lstm(), Transformer(nn::SelfAttention(2).Causal())}) {
    auto model = Model(kind), again = Model(kind);
    DL_ASSERT_OK(model);
    DL_ASSERT_OK(again);
    const GenerateOptions options{.prompt = "ab", .length = 60, .sampling = {}, .seed = 3};
    const std::string text = Written(**model, options);
    EXPECT_EQ(text.size(), 62u);
    EXPECT_EQ(text.substr(0, 2), "ab");
    EXPECT_EQ(Written(**model, options), text) << "what it wrote before is in the result";
    EXPECT_EQ(Written(**again, options), text);
    GenerateOptions other = options;
    other.seed = 4;
    EXPECT_NE(Written(**model, other), text);
    // Part of the text as prompt gives the same continuation.
    GenerateOptions rest = options;
    rest.prompt = text.substr(0, 20);
    rest.length = 42;
    EXPECT_EQ(Written(**model, rest), text);
  }
}

TEST(Generate, TemperatureZeroIgnoresSeed) {
  auto model = Model(Lstm());
  DL_ASSERT_OK(model);
  GenerateOptions options{.prompt = "c", .length = 20, .sampling = {.temperature = 0}, .seed = 1};
  const std::string text = Written(**model, options);
  options.seed = 2;
  EXPECT_EQ(Written(**model, options), text);
  options.sampling = {.temperature = 1, .top_k = 1};
  EXPECT_EQ(Written(**model, options), text);
}

// The network predicts the token after the last one. If there are more tokens than steps, it sees
// only the last ones.
TEST(LanguageModel, UsesLastTokensUpToItsNumberOfSteps) {
  auto model = Model(Lstm());
  DL_ASSERT_OK(model);
  const auto next = [&](const std::vector<int32_t>& tokens) {
    const auto said = (*model)->Next(tokens);
    DL_EXPECT_OK(said);
    return std::vector<float>(said->begin(), said->end());
  };
  const std::vector<float> one = next({1});
  float sum = 0;
  for (const float p : one) sum += p;
  EXPECT_NEAR(sum, 1, 1e-5);
  EXPECT_NE(next({1, 2}), one);
  EXPECT_NE(next({2, 1}), one) << "the one before is seen";
  EXPECT_EQ(next({3, 4, 1, 2, 3, 4, 1, 2}), next({1, 2, 3, 4, 1, 2}));
}

TEST(LanguageModel, NonCausalModelIsRefused) {
  EXPECT_THAT(Model(Transformer(nn::SelfAttention(2))),
              IsError(absl::StatusCode::kFailedPrecondition,
                      "the model predicts a token from the tokens after it"));
}

TEST(LanguageModel, OtherModelsAreRefused) {
  const auto refused = [](const dataset::Manifest& training, const char* why) {
    EXPECT_THAT(Model(Lstm(), training), IsError(absl::StatusCode::kFailedPrecondition, why));
  };
  dataset::Manifest training = Training();
  training.schema.SetLabelsPerExample(1);
  refused(training, "one label for an example");
  training = Training();
  training.schema.SetClasses(5, {"ant", "bee", "cat", "dog", "emu"});
  refused(training, "no tokens of a text");
  training = Training();
  training.schema.feature_shape = {kSteps, 4};
  refused(training, "no sequences of tokens");
  training = Training();
  training.schema.labels = dataset::TargetLabels{};
  refused(training, "it predicts numbers");
}

TEST(Generate, UnknownCharacterOfPromptIsAnError) {
  auto model = Model(Lstm());
  DL_ASSERT_OK(model);
  int written = 0;
  const auto text = GenerateText(
      **model, {.prompt = "abz", .length = 5, .sampling = {}, .write = [&](std::string_view) {
                  ++written;
                  return absl::OkStatus();
                }});
  EXPECT_THAT(text, IsError(absl::StatusCode::kInvalidArgument, "does not contain \"z\""));
  EXPECT_EQ(ErrorWhere(text.status()), "prompt:1:3");
  EXPECT_EQ(written, 0);
}

}  // namespace
}  // namespace dl::inference
