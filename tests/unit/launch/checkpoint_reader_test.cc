// A checkpoint that a client reads is the state that its round committed, or an error.
#include "launch/checkpoint_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "averaging/job_strategy.h"
#include "base/checksum.h"
#include "base/part_name.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/rpc/fake_master.h"

namespace dl::launch {
namespace {

using test::IsError;

constexpr char kDigest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

class CheckpointReaderTest : public testing::Test, public rpc::FakeMaster {
 protected:
  CheckpointReaderTest() {
    auto spec = job::Job("small")
                    .Model(nn::Sequential("mlp")
                               .Updater(nn::Nesterov(0.1))
                               .Input(nn::Image(1, 2, 2))
                               .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy())))
                    .Training(ParameterAveraging().Workers(1).BatchSizePerWorker(4).Epochs(1))
                    .Train(data::Idx("features", "labels"))
                    .Build();
    DL_EXPECT_OK(spec);
    spec->data.train = job::ManifestReference{
        .sha256 = kDigest, .summary = {.examples = 8, .feature_shape = {1, 2, 2}, .classes = 2}};
    spec_ = job::ToJson(*spec).dump();
    const auto strategy = averaging::StrategyOf(*spec);
    DL_EXPECT_OK(strategy);
    for (const averaging::PartLayout& part : (*strategy)->layout().parts) {
      std::vector<float>& values = values_[part.name];
      values.assign(part.table.size(), static_cast<float>(values_.size()));
      const PartContent content{&part.table, values};
      hashes_[part.name] = HashParts({&content, 1}).front();
      names_[part.name] = hashes_[part.name].name;
    }
    state_sha256_ = StateSha256(names_);
    on_query = [this](const rpc::QueryRequest& request) {
      if (request.what == "spec") return spec_;
      return Json::array({{{"checkpoint", "small-1@3"},
                           {"round", 3},
                           {"parts", names_},
                           {"state_sha256", state_sha256_}}})
          .dump();
    };
  }

  StatusOr<rpc::Chunk> FetchCheckpoint(const rpc::FetchRequest& request, Duration) override {
    ++calls_;
    const std::string key = request.sha256.substr(request.sha256.rfind('/') + 1);
    const auto whole = std::as_bytes(std::span(values_.at(key)));
    const auto bytes = whole.subspan(request.offset);
    rpc::Chunk chunk{.total = static_cast<int64_t>(whole.size()), .offset = request.offset};
    chunk.bytes.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (request.offset == 0) chunk.piece_hashes = hashes_.at(key).pieces;
    if (spoil_) spoil_(chunk);
    chunk.chunk_xxh3 = Xxh3(chunk.bytes);
    return chunk;
  }

  std::string spec_, state_sha256_;
  std::map<std::string, std::vector<float>> values_;
  std::map<std::string, PartHashes> hashes_;
  std::map<std::string, std::string> names_;
  std::function<void(rpc::Chunk&)> spoil_;
  int calls_ = 0;
};

TEST_F(CheckpointReaderTest, EachPartIsWhatItsNameSays) {
  const auto loaded = LoadCheckpoint("small-1", *this);
  DL_ASSERT_OK(loaded);
  EXPECT_EQ(loaded->name, "small-1@3");
  EXPECT_EQ(loaded->state_sha256, state_sha256_);
  ASSERT_EQ(loaded->parts.size(), 2u);
  for (const LoadedCheckpoint::Part& part : loaded->parts) {
    EXPECT_TRUE(std::ranges::equal(part.values.span(), values_.at(part.key))) << part.key;
    EXPECT_EQ(part.sha256, names_.at(part.key));
  }
}

TEST_F(CheckpointReaderTest, OtherBytesAreDataLossAndTheRemedyIsAnotherCheckpoint) {
  spoil_ = [](rpc::Chunk& chunk) { chunk.bytes[2] = static_cast<char>(chunk.bytes[2] ^ 1); };
  const auto loaded = LoadCheckpoint("small-1@3", *this);
  EXPECT_THAT(loaded, IsError(absl::StatusCode::kDataLoss, "reading small-1@3/model"));
  EXPECT_EQ(ErrorRemedy(loaded.status()), "Use another one: dl-submit checkpoints small-1");
}

// Lists that lead to names which are not those of the round's state.
TEST_F(CheckpointReaderTest, NamesOfAnotherStateAreRefusedBeforeAnythingIsFetched) {
  const std::string right = names_["model"];
  for (const std::string& wrong : {std::string(64, '0'), std::string()}) {
    names_["model"] = wrong;
    EXPECT_THAT(LoadCheckpoint("small-1@3", *this),
                IsError(absl::StatusCode::kDataLoss, "is not the state that its round committed"));
  }
  EXPECT_EQ(calls_, 0);
  names_["model"] = right;
  DL_EXPECT_OK(LoadCheckpoint("small-1@3", *this));
}

}  // namespace
}  // namespace dl::launch
