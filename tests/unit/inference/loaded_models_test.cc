// Models that stay loaded for predictions.
#include "inference/serving/loaded_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "averaging/job_strategy.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/part_name.h"
#include "dataset/manifest.h"
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
  RowPredictions predictions;
  const web::PredictionRequest request{.job = "small-1", .body = R"({"rows":[[1,2,3,4]]})"};
  const auto answer = predictions.Predict(*this, request);
  DL_ASSERT_OK(answer);
  EXPECT_THAT(*answer, HasSubstr(R"("predictions":[{"example":0,"class":"0")"));
  predictions.Stop();
  EXPECT_THAT(predictions.Predict(*this, request),
              IsError(absl::StatusCode::kUnavailable, "stops"));
}

}  // namespace
}  // namespace dl::inference
