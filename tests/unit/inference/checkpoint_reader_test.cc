// Reading a checkpoint gives the state that its round committed, or an error.
#include "inference/checkpoint_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "averaging/job_strategy.h"
#include "base/checksum.h"
#include "base/part_name.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "master/core/job/round_log.h"
#include "master/core/records/log_record.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/rpc/fake_master.h"

namespace dl::inference {
namespace {

using test::IsError;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kDigest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

class CheckpointReaderTest : public testing::Test, public rpc::FakeMaster {
 protected:
  CheckpointReaderTest() {
    auto spec = job::Job("small")
                    .Model(nn::Sequential("mlp")
                               .Updater(nn::Nesterov(0.1))
                               .Input(nn::Image(1, 2, 2))
                               .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy())))
                    .Training(ParameterAveraging()
                                  .Workers(kWorkers)
                                  .BatchSizePerWorker(2)
                                  .UpdaterStates(job::UpdaterState::kKeep)
                                  .Epochs(1))
                    .Train(data::Idx("features", "labels"))
                    .Build();
    DL_EXPECT_OK(spec);
    spec->data.train = job::ManifestReference{
        .sha256 = kDigest, .summary = {.examples = 8, .feature_shape = {1, 2, 2}, .classes = 2}};
    spec_ = job::ToJson(*spec).dump();
    const auto strategy = averaging::MakeStrategy(*spec);
    DL_EXPECT_OK(strategy);
    for (const averaging::PartLayout& part : (*strategy)->layout().parts) {
      const bool of_workers = part.scope == averaging::PartScope::kWorker;
      for (int m = 0; m < (of_workers ? kWorkers : 1); ++m) AddPart(part, part.KeyOf(m));
    }
    state_sha256_ = StateSha256(names_);
    on_query = [this](const rpc::QueryRequest& request) { return Answer(request); };
  }

  void AddPart(const averaging::PartLayout& part, const std::string& key) {
    std::vector<float>& values = values_[key];
    values.assign(part.table.size(), static_cast<float>(values_.size()));
    const PartContent content{&part.table, values};
    hashes_[key] = HashParts({&content, 1}).front();
    names_[key] = hashes_[key].name;
  }

  std::string Answer(const rpc::QueryRequest& request) {
    asked_.push_back(request.what);
    if (request.what == rpc::QueryKind::kSpec) return spec_;
    if (request.what == rpc::QueryKind::kJob)
      return Json{{"attempt", attempt_}, {"kernel_contract", "of the last attempt"}}.dump();
    if (request.what == rpc::QueryKind::kLog) return Json(log_).dump();
    Json checkpoint = {{"checkpoint", "small-1@3"},
                       {"round", 3},
                       {"parts", names_},
                       {"state_sha256", state_sha256_}};
    if (!contract_.empty()) checkpoint["kernel_contract"] = contract_;
    return Json::array({checkpoint}).dump();
  }

  StatusOr<rpc::Chunk> FetchCheckpoint(const rpc::FetchRequest& request, Duration) override {
    const std::string key = request.sha256.substr(request.sha256.rfind('/') + 1);
    fetched_.push_back(key);
    readers_.insert(request.reader);
    const auto whole = std::as_bytes(std::span(values_.at(key)));
    const auto bytes = whole.subspan(request.offset);
    rpc::Chunk chunk{.total = static_cast<int64_t>(whole.size()), .offset = request.offset};
    chunk.bytes.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (request.offset == 0) chunk.piece_hashes = hashes_.at(key).pieces;
    if (spoil_) spoil_(chunk);
    chunk.chunk_xxh3 = Xxh3(chunk.bytes);
    return chunk;
  }

  Status EndRead(const rpc::EndReadRequest& request, Duration) override {
    ended_.push_back(request);
    return absl::OkStatus();
  }

  static constexpr int kWorkers = 3;
  static constexpr CheckpointContent kAll = CheckpointContent::kAll;

  std::string spec_, state_sha256_;
  std::string contract_ = "of the round";  // returned with the checkpoint
  int attempt_ = 1;
  std::vector<Json> log_;
  std::vector<rpc::QueryKind> asked_;
  std::vector<std::string> fetched_;  // keys of parts
  std::set<uint64_t> readers_;
  std::vector<rpc::EndReadRequest> ended_;
  std::map<std::string, std::vector<float>> values_;
  std::map<std::string, PartHashes> hashes_;
  std::map<std::string, std::string> names_;
  std::function<void(rpc::Chunk&)> spoil_;
};

TEST_F(CheckpointReaderTest, EachPartMatchesItsName) {
  const auto loaded = LoadCheckpoint("small-1", kAll, *this);
  DL_ASSERT_OK(loaded);
  EXPECT_EQ(loaded->name, "small-1@3");
  EXPECT_EQ(loaded->state_sha256, state_sha256_);
  ASSERT_EQ(loaded->parts.size(), 1u + kWorkers);
  for (const LoadedCheckpoint::Part& part : loaded->parts) {
    EXPECT_TRUE(std::ranges::equal(part.values.span(), values_.at(part.key))) << part.key;
    EXPECT_EQ(part.sha256, names_.at(part.key));
  }
}

// Under `keep`, each worker has updater state of the size of the model.
TEST_F(CheckpointReaderTest, OnlyTheModelIsReadOnRequest) {
  const auto loaded = LoadCheckpoint("small-1@3", CheckpointContent::kModel, *this);
  DL_ASSERT_OK(loaded);
  EXPECT_THAT(fetched_, ElementsAre("model"));
  ASSERT_EQ(loaded->parts.size(), 1u);
  EXPECT_TRUE(std::ranges::equal(loaded->model().values.span(), values_.at("model")));
  EXPECT_EQ(loaded->state_sha256, state_sha256_);
  // The hash of a state covers the names of all parts. A wrong name is an error even if the part is
  // not read.
  names_["updater-2"] = std::string(64, '0');
  EXPECT_THAT(
      LoadCheckpoint("small-1@3", CheckpointContent::kModel, *this),
      IsError(absl::StatusCode::kDataLoss, "differs from the state that its round committed"));
}

TEST_F(CheckpointReaderTest, ContractComesWithCheckpoint) {
  attempt_ = 2;
  const auto loaded = LoadCheckpoint("small-1@3", CheckpointContent::kModel, *this);
  DL_ASSERT_OK(loaded);
  asked_.clear();
  EXPECT_EQ(*ContractOf(*loaded, *this), "of the round");
  EXPECT_THAT(asked_, IsEmpty());
}

// A job that an older build began has checkpoints without a contract.
TEST_F(CheckpointReaderTest, MissingContractIsReadFromJobOrLog) {
  contract_.clear();
  const auto loaded = LoadCheckpoint("small-1@3", CheckpointContent::kModel, *this);
  DL_ASSERT_OK(loaded);
  asked_.clear();
  EXPECT_EQ(*ContractOf(*loaded, *this), "of the last attempt");
  EXPECT_THAT(asked_, ElementsAre(rpc::QueryKind::kJob));

  attempt_ = 3;
  using master::LogRecord;
  using master::RecordType;
  const std::vector<LogRecord> records = {
      {.type = RecordType::kStart, .contract = "first", .names = {"s", {}}},
      {.type = RecordType::kRebind, .round = 2, .contract = "second"},
      {.type = RecordType::kRebind, .round = 3, .contract = "third"}};
  for (const LogRecord& record : records) log_.push_back(master::ToJson(record));
  EXPECT_EQ(*ContractOf(*loaded, *this), "second");
  // Round 3 is the first round after the rollback.
  log_.push_back(master::ToJson(LogRecord{.type = RecordType::kRollback, .round = 2}));
  EXPECT_EQ(*ContractOf(*loaded, *this), "third");
}

TEST_F(CheckpointReaderTest, WrongBytesAreDataLossWithRemedy) {
  spoil_ = [](rpc::Chunk& chunk) { chunk.bytes[2] = static_cast<char>(chunk.bytes[2] ^ 1); };
  const auto loaded = LoadCheckpoint("small-1@3", kAll, *this);
  EXPECT_THAT(loaded, IsError(absl::StatusCode::kDataLoss, "reading small-1@3/model"));
  EXPECT_EQ(ErrorRemedy(loaded.status()), "Use another checkpoint: dl-submit checkpoints small-1");
}

TEST_F(CheckpointReaderTest, ReadingEndsOnceForAllParts) {
  DL_ASSERT_OK(LoadCheckpoint("small-1@3", kAll, *this));
  ASSERT_GT(fetched_.size(), 1u);
  ASSERT_EQ(readers_.size(), 1u);
  EXPECT_NE(*readers_.begin(), 0u);
  EXPECT_THAT(ended_, ElementsAre(rpc::EndReadRequest{.checkpoint = "small-1@3",
                                                      .reader = *readers_.begin()}));
}

TEST_F(CheckpointReaderTest, ReadingEndsAfterAnError) {
  spoil_ = [](rpc::Chunk& chunk) { chunk.piece_hashes.clear(); };
  EXPECT_FALSE(LoadCheckpoint("small-1@3", kAll, *this).ok());
  EXPECT_EQ(ended_.size(), 1u);
}

TEST_F(CheckpointReaderTest, DescriptionOpensNoReading) {
  DL_ASSERT_OK(DescribeCheckpoint("small-1@3", kAll, *this));
  EXPECT_THAT(ended_, IsEmpty());
}

// The names of parts do not hash to the state of the round.
TEST_F(CheckpointReaderTest, NamesOfAnotherStateAreRefusedBeforeAnythingIsFetched) {
  const std::string right = names_["model"];
  for (const std::string& wrong : {std::string(64, '0'), std::string()}) {
    names_["model"] = wrong;
    EXPECT_THAT(
        LoadCheckpoint("small-1@3", kAll, *this),
        IsError(absl::StatusCode::kDataLoss, "differs from the state that its round committed"));
  }
  EXPECT_THAT(fetched_, IsEmpty());
  names_["model"] = right;
  DL_EXPECT_OK(LoadCheckpoint("small-1@3", kAll, *this));
}

}  // namespace
}  // namespace dl::inference
