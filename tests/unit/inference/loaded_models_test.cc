// Models that stay loaded for predictions and evaluations.
#include "inference/serving/loaded_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "averaging/job_strategy.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/part_name.h"
#include "dataset/block.h"
#include "dataset/manifest.h"
#include "inference/serving/checkpoint_evaluations.h"
#include "inference/serving/row_predictions.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "nn/conf/sequential.h"
#include "rpc/messages.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/rpc/fake_master.h"

namespace dl::inference {
namespace {

using test::IsError;
using testing::HasSubstr;

constexpr char kBlockName[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

// A job with checkpoints of the rounds 1 to 3, all with the same state.
class LoadedModelsTest : public testing::Test, public rpc::FakeMaster {
 protected:
  LoadedModelsTest() {
    auto spec = job::Job("small")
                    .Model(nn::Sequential("mlp")
                               .Updater(nn::Sgd(0.1))
                               .Input(nn::FeedForward(4))
                               .Layer(nn::Dense(64).Activation(nn::Tanh()))
                               .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy())))
                    .Training(ParameterAveraging().Workers(1).BatchSizePerWorker(2).Epochs(1))
                    .Train(data::Idx("features", "labels"))
                    .Build();
    DL_EXPECT_OK(spec);
    spec->data.train = job::ManifestReference{
        .sha256 = kBlockName, .summary = {.examples = 8, .feature_shape = {4}, .classes = 2}};
    spec_ = job::ToJson(*spec).dump();
    const auto strategy = averaging::MakeStrategy(*spec);
    DL_EXPECT_OK(strategy);
    std::map<std::string, std::string> names;
    for (const averaging::PartLayout& part : (*strategy)->layout().parts) {
      values_[part.KeyOf(0)].assign(part.table.size(), 0.01f);
      const PartContent content{&part.table, values_[part.KeyOf(0)]};
      hashes_[part.KeyOf(0)] = HashParts({&content, 1}).front();
      names[part.KeyOf(0)] = hashes_[part.KeyOf(0)].name;
    }
    for (int round = 1; round <= 3; ++round) {
      checkpoints_.push_back({{"checkpoint", "small-1@" + std::to_string(round)},
                              {"round", round},
                              {"parts", names},
                              {"best", round == 2},
                              {"test", Json::object()},
                              {"state_sha256", StateSha256(names)}});
    }
    const dataset::Manifest manifest{
        .schema = {.feature_shape = {4}, .labels = dataset::ClassLabels{.classes = 2}},
        .examples = 8,
        .class_histogram = {4, 4},
        .blocks = {{.sha256 = kBlockName, .examples = 8, .bytes = 100}},
        .content_fingerprint = kBlockName};
    on_query = [this, text = dataset::ManifestToJson(manifest)](const rpc::QueryRequest& request) {
      if (request.what == rpc::QueryKind::kSpec) return spec_;
      if (request.what == rpc::QueryKind::kTrainManifest) return text;
      if (request.what == rpc::QueryKind::kJob) return std::string("{}");
      return checkpoints_.dump();
    };
  }
  StatusOr<rpc::Chunk> FetchCheckpoint(const rpc::FetchRequest& request, Duration) override {
    ++fetches_;
    const std::string key = request.sha256.substr(request.sha256.rfind('/') + 1);
    const auto whole = std::as_bytes(std::span(values_.at(key)));
    rpc::Chunk chunk{.total = static_cast<int64_t>(whole.size()), .offset = request.offset};
    chunk.bytes.assign(reinterpret_cast<const char*>(whole.data()), whole.size());
    chunk.piece_hashes = hashes_.at(key).pieces;
    chunk.chunk_xxh3 = Xxh3(chunk.bytes);
    return chunk;
  }
  int64_t BytesOfOne() {
    LoadedModels models(int64_t{1} << 40);
    const auto model = models.Get("small-1@1", 8, *this);
    DL_EXPECT_OK(model);
    fetches_ = 0;
    return models.bytes();
  }

  std::string spec_;
  Json checkpoints_ = Json::array();
  std::map<std::string, std::vector<float>> values_;
  std::map<std::string, PartHashes> hashes_;
  int fetches_ = 0;
};

TEST_F(LoadedModelsTest, ModelIsLoadedOnceAndFoundByWords) {
  LoadedModels models(int64_t{1} << 40);
  for (const char* name : {"small-1@2", "small-1@best", "small-1@2"}) {
    const auto model = models.Get(name, 8, *this);
    DL_ASSERT_OK(model);
    EXPECT_EQ((*model)->checkpoint, "small-1@2");
  }
  EXPECT_EQ(fetches_, 1);
  DL_EXPECT_OK(models.Get("small-1@last", 8, *this));
  EXPECT_EQ(models.size(), 2u);
}

TEST_F(LoadedModelsTest, ModelsStayWithinTheLimit) {
  const int64_t one = BytesOfOne();
  LoadedModels models(2 * one);
  for (const char* name : {"small-1@1", "small-1@2", "small-1@1", "small-1@3"}) {
    DL_ASSERT_OK(models.Get(name, 8, *this));
    EXPECT_LE(models.bytes(), 2 * one);
  }
  // The least recently used model was dropped.
  EXPECT_EQ(fetches_, 3);
  DL_ASSERT_OK(models.Get("small-1@1", 8, *this));
  EXPECT_EQ(fetches_, 3);
  DL_ASSERT_OK(models.Get("small-1@2", 8, *this));
  EXPECT_EQ(fetches_, 4);
}

TEST_F(LoadedModelsTest, ModelBeyondTheLimitIsRefused) {
  LoadedModels models(BytesOfOne() - 1);
  EXPECT_THAT(models.Get("small-1@1", 8, *this),
              IsError(absl::StatusCode::kResourceExhausted, "MiB"));
  EXPECT_EQ(fetches_, 0);
}

TEST_F(LoadedModelsTest, BatchGrowsWithTheRows) {
  LoadedModels models(int64_t{1} << 40);
  const auto small = models.Get("small-1@1", 1, *this);
  DL_ASSERT_OK(small);
  EXPECT_EQ((*small)->batch, 1);
  const auto large = models.Get("small-1@1", 100, *this);
  DL_ASSERT_OK(large);
  EXPECT_GT((*large)->batch, 1);
  EXPECT_EQ(models.size(), 1u);
}

TEST_F(LoadedModelsTest, PredictionsAfterStopAreRefused) {
  SharedModels shared;
  RowPredictions predictions(shared);
  const web::PredictionRequest request{.job = "small-1", .body = R"({"rows":[[1,2,3,4]]})"};
  const auto answer = predictions.Predict(*this, request);
  DL_ASSERT_OK(answer);
  EXPECT_THAT(*answer, HasSubstr(R"("predictions":[{"example":0,"class":"0")"));
  shared.stopping = true;
  EXPECT_THAT(predictions.Predict(*this, request),
              IsError(absl::StatusCode::kUnavailable, "stops"));
}

// A test set of six examples in two blocks. All weights are equal, so class 0 is always predicted.
class CheckpointEvaluationsTest : public LoadedModelsTest {
 protected:
  CheckpointEvaluationsTest() {
    dataset::Manifest manifest{
        .schema = {.feature_shape = {4},
                   .labels = dataset::ClassLabels{.classes = 2, .names = {"no", "<b>yes"}}},
        .examples = 6,
        .class_histogram = {3, 3},
        .content_fingerprint = kBlockName};
    for (const std::vector<int32_t>& labels : {std::vector<int32_t>{0, 1, 0, 1}, {1, 0}}) {
      const auto first = static_cast<uint64_t>(manifest.blocks.size() * 4);
      std::vector<uint64_t> ids;
      for (size_t i = 0; i < labels.size(); ++i) {
        ids.push_back(100 - first - i);
        manifest.example_hash_sum += dataset::ExampleHash(ids.back());
      }
      const std::vector<float> features(4 * labels.size(), 1);
      const auto block = dataset::EncodeBlock(
          manifest.schema,
          {.ids = ids, .classes = labels, .features = std::as_bytes(std::span(features))},
          dataset::Compression::kNone);
      DL_EXPECT_OK(block);
      const std::string bytes(reinterpret_cast<const char*>(block->data()), block->size());
      const std::string name = Sha256Hex(bytes);
      blocks_[name] = bytes;
      manifest.blocks.push_back({.sha256 = name,
                                 .examples = std::ssize(labels),
                                 .bytes = static_cast<int64_t>(bytes.size())});
    }
    test_ = dataset::ManifestToJson(manifest);
    on_query = [this, others = on_query](const rpc::QueryRequest& request) {
      return request.what == rpc::QueryKind::kTestManifest ? test_ : others(request);
    };
  }
  StatusOr<rpc::Chunk> FetchBlock(const rpc::FetchRequest& request, Duration) override {
    ++block_fetches_;
    const std::string& bytes = blocks_.at(request.sha256);
    return rpc::Chunk{.total = std::ssize(bytes), .chunk_xxh3 = Xxh3(bytes), .bytes = bytes};
  }

  std::string test_;
  std::map<std::string, std::string> blocks_;
  int block_fetches_ = 0;
};

TEST_F(CheckpointEvaluationsTest, MistakesAreExamplesOfTheTestSet) {
  SharedModels shared;
  CheckpointEvaluations evaluations(shared);
  const auto text = evaluations.Evaluate(*this, {.job = "small-1", .round = "best", .mistakes = 2});
  DL_ASSERT_OK(text);
  const Json answer = Json::parse(*text);
  EXPECT_EQ(answer["checkpoint"], "small-1@2");
  EXPECT_EQ(answer["round"], 2);
  EXPECT_EQ(answer["examples"], 6);
  EXPECT_EQ(answer["examined"], 6);
  EXPECT_EQ(answer["wrong"], 3);
  EXPECT_EQ(answer["measure"], "log_loss");
  EXPECT_EQ(answer["figures"]["accuracy"], 0.5);
  EXPECT_EQ(answer["figures"]["classes"][1]["roc_auc"], 0.5);
  EXPECT_TRUE(answer["figures"]["classes"][1].contains("curve"));
  EXPECT_FALSE(answer["figures"]["classes"][0].contains("curve")) << "one curve for two classes";
  // All losses are equal, so the first examples in stored order come first.
  ASSERT_EQ(answer["mistakes"].size(), 2);
  EXPECT_EQ(answer["mistakes"][0]["index"], 1);
  EXPECT_EQ(answer["mistakes"][0]["id"], 99);
  EXPECT_EQ(answer["mistakes"][0]["label"], "<b>yes");
  EXPECT_EQ(answer["mistakes"][0]["predicted"], "no");
  EXPECT_EQ(answer["mistakes"][1]["index"], 3);
  EXPECT_EQ(answer["mistakes"][1]["values"], Json({1, 1, 1, 1}));
}

TEST_F(CheckpointEvaluationsTest, AnswerIsComputedOnceForACheckpoint) {
  SharedModels shared;
  CheckpointEvaluations evaluations(shared);
  const auto first = evaluations.Evaluate(*this, {.job = "small-1", .round = "3"});
  DL_ASSERT_OK(first);
  const int fetches = block_fetches_;
  EXPECT_GT(fetches, 0);
  const auto again = evaluations.Evaluate(*this, {.job = "small-1", .round = "last"});
  DL_ASSERT_OK(again);
  EXPECT_EQ(*again, *first);
  EXPECT_EQ(block_fetches_, fetches);
  DL_EXPECT_OK(evaluations.Evaluate(*this, {.job = "small-1", .round = "1"}));
  EXPECT_GT(block_fetches_, fetches) << "another checkpoint";
  shared.stopping = true;
  EXPECT_THAT(evaluations.Evaluate(*this, {.job = "small-1", .round = "2"}),
              IsError(absl::StatusCode::kUnavailable, "stops"));
}

TEST_F(CheckpointEvaluationsTest, LargeModelsAreEvaluatedOnFewerExamples) {
  const auto with_units = [](int64_t units) {
    return *nn::Sequential("m")
                .Input(nn::FeedForward(1000))
                .Layer(nn::Dense(units))
                .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()))
                .Build();
  };
  EXPECT_EQ(CheckpointEvaluations::MostExamples(with_units(10)), 10'000);
  // 2,004 operations for each unit: 2e11 / (1e6 * 2004).
  EXPECT_EQ(CheckpointEvaluations::MostExamples(with_units(1'000'000)), 99);
}

}  // namespace
}  // namespace dl::inference
