#include "master/core/job/round_log.h"

#include "base/checksum.h"
#include "gtest/gtest.h"
#include "master/core/job/job.h"
#include "master/core/record_keys.h"
#include "master/core/records/job_record.h"
#include "master/core/records/log_record.h"
#include "master/store_recovery.h"
#include "storage/memory_meta_store.h"
#include "tests/support/status_matchers.h"

namespace dl::master {
namespace {

using dl::test::IsError;

LogRecord Commit(int64_t round) {
  LogRecord record{.type = RecordType::kCommit,
                   .round = round,
                   .previous = "abc",
                   .names = {.state_sha256 = "s",
                             .parts = {{"model", "g"}, {"updater-0", "w0"}, {"updater-1", "w1"}}},
                   .units = {{0, 0xfedcba9876543210u, 16}, {2, 1, 7}},
                   .exponents = {-3, 127, averaging::kZeroSegment},
                   .epoch_hash_sum = UINT64_MAX};
  record.epoch_train.AddLoss(0.1);
  record.epoch_train.AddPrediction(1, 1);
  return record;
}

std::vector<LogRecord> EveryType() {
  LogRecord evaluation{.type = RecordType::kEvaluation, .round = 4, .previous = "def"};
  evaluation.test.AddLoss(2.5);
  evaluation.best_value = 0.1;
  evaluation.best_round = 2;
  evaluation.epochs_without_gain = 3;
  evaluation.stop = 1;
  return {{.type = RecordType::kStart, .contract = "c", .names = {"s", {{"model", "g"}}}},
          Commit(4),
          evaluation,
          {.type = RecordType::kRebind, .round = 4, .previous = "x", .contract = "d"}};
}

TEST(RoundLog, EachTypeRoundTrips) {
  for (const LogRecord& record : EveryType()) {
    const std::string text = ToJson(record).dump();
    auto read = LogRecordFromJson(Json::parse(text), "record");
    DL_ASSERT_OK(read);
    EXPECT_EQ(ToJson(*read).dump(), text);
    EXPECT_EQ(read->type, record.type);
  }
  auto read = LogRecordFromJson(ToJson(Commit(4)), "record");
  DL_ASSERT_OK(read);
  EXPECT_EQ(read->names, Commit(4).names);
  EXPECT_EQ(read->units[0].hash, 0xfedcba9876543210u);
  EXPECT_EQ(read->exponents, Commit(4).exponents);
  EXPECT_EQ(read->epoch_hash_sum, UINT64_MAX);
  EXPECT_EQ(read->epoch_train, Commit(4).epoch_train);
}

// The chain hashes the text, so it must equal the document's text byte for byte.
TEST(RoundLog, TextMatchesDocument) {
  std::vector<LogRecord> records = EveryType();
  for (const size_t units : {0, 1, 2, 1000}) {
    LogRecord commit = Commit(4);
    commit.units.clear();
    for (size_t i = 0; i < units; ++i)
      commit.units.push_back({static_cast<int32_t>(i), 0xfedcba9876543210u * i, 128});
    records.push_back(commit);
  }
  for (const int64_t predictions : {0, 1, 50}) {
    LogRecord evaluation{.type = RecordType::kEvaluation, .test = nn::MetricSums(8)};
    for (int64_t i = 0; i < predictions; ++i) {
      evaluation.test.AddLoss(0.5);
      evaluation.test.AddPrediction(i * i % 8, i % 8);
    }
    records.push_back(evaluation);
  }
  for (const LogRecord& record : records) EXPECT_EQ(RecordText(record), JsonText(ToJson(record)));
}

TEST(RoundLog, MissingOrUnknownKeyIsDataLoss) {
  for (const LogRecord& record : EveryType()) {
    const Json whole = ToJson(record);
    for (const auto& [key, value] : whole.items()) {
      if (key == "grid_exponents" || key == "contract" || key.starts_with("best") ||
          key == "stop" || key == "epochs_without_gain") {
        continue;  // optional keys
      }
      Json damaged = whole;
      damaged.erase(key);
      EXPECT_THAT(LogRecordFromJson(damaged, "r"), IsError(absl::StatusCode::kDataLoss, "r"))
          << key;
    }
    Json more = whole;
    more["surprise"] = 1;
    EXPECT_THAT(LogRecordFromJson(more, "r"), IsError(absl::StatusCode::kDataLoss, "surprise"));
  }
}

TEST(RoundLog, RecordsMustBeConsistent) {
  const LogRecord start{.type = RecordType::kStart};
  const LogRecord evaluation{.type = RecordType::kEvaluation, .round = 1};
  DL_EXPECT_OK(CheckLog({}, "j"));
  DL_EXPECT_OK(CheckLog({start, Commit(1), evaluation, Commit(2)}, "j"));
  EXPECT_THAT(CheckLog({Commit(1)}, "j"), IsError(absl::StatusCode::kDataLoss, "job j, record 0"));
  EXPECT_THAT(CheckLog({start, Commit(2)}, "j"), IsError(absl::StatusCode::kDataLoss, "record 1"));
  EXPECT_THAT(CheckLog({start, Commit(1), start}, "j"),
              IsError(absl::StatusCode::kDataLoss, "record 2"));
  EXPECT_THAT(CheckLog({start, evaluation}, "j"), IsError(absl::StatusCode::kDataLoss, "record 1"));
}

// ---- its head ----

LogHead HeadOf(const std::vector<LogRecord>& records) {
  LogHead head;
  for (const LogRecord& record : records) (void)head.Append(record, "sha256");
  return head;
}

LogRecord Rebind(int64_t round, const std::string& contract) {
  return {.type = RecordType::kRebind, .round = round, .contract = contract};
}

TEST(LogHead, KnowsContractOfEachRound) {
  std::vector<LogRecord> log = {
      {.type = RecordType::kStart, .contract = "a"}, Commit(1), Commit(2)};
  log.push_back(Rebind(2, "b"));
  log.push_back(Rebind(2, "c"));  // again, before a round was computed
  log.push_back(Commit(3));
  LogHead head = HeadOf(log);
  for (const int64_t round : {0, 1, 2}) EXPECT_EQ(head.ContractOf(round), "a") << round;
  for (const int64_t round : {3, 4}) EXPECT_EQ(head.ContractOf(round), "c") << round;
  // After a rollback, the last contract applies to the rounds after it.
  (void)head.Append({.type = RecordType::kRollback, .round = 1}, "sha256");
  EXPECT_EQ(head.ContractOf(1), "a");
  EXPECT_EQ(head.ContractOf(2), "c");
  EXPECT_EQ(head.bounds.size(), 2u);

  const auto read = LogHeadFromJson(ToJson(head), "head");
  DL_ASSERT_OK(read);
  EXPECT_EQ(read->bounds, head.bounds);
  EXPECT_EQ(HeadOf({log[0], Rebind(0, "a")}).bounds.size(), 1u) << "nothing changes";
}

// An older build recorded only the last contract.
TEST(LogHead, RoundsBeforeFirstBoundAreUnknown) {
  const Json older = {{"format", 1},     {"length", 9}, {"last_sha256", "x"},
                      {"contract", "a"}, {"commit", 8}, {"evaluation", -1}};
  auto head = LogHeadFromJson(older, "head");
  DL_ASSERT_OK(head);
  EXPECT_EQ(head->ContractOf(8), "");
  EXPECT_EQ(ToJson(*head), older);
  (void)head->Append(Rebind(8, "b"), "y");
  EXPECT_EQ(head->ContractOf(8), "");
  EXPECT_EQ(head->ContractOf(9), "b");
}

TEST(LogHead, UnorderedBoundsAreDataLoss) {
  Json json = ToJson(HeadOf({{.type = RecordType::kStart, .contract = "a"}, Rebind(0, "b")}));
  std::swap(json["bounds"][0], json["bounds"][1]);
  EXPECT_THAT(LogHeadFromJson(json, "head"),
              IsError(absl::StatusCode::kDataLoss, "bounds: must begin at ascending rounds"));
  json["bounds"] = "none";
  EXPECT_THAT(LogHeadFromJson(json, "head"), IsError(absl::StatusCode::kDataLoss, "bounds"));
}

// ---- from the store ----

class StoredLog : public testing::Test {
 protected:
  void SetUp() override {
    storage::MetaBatch batch;
    batch.Put(keys::Job("j-1"), ToJson(JobRecord{.state = JobState::kFailed}).dump());
    batch.Put(keys::Spec("j-1"), "spec");
    batch.Put(keys::TrainManifest("j-1"), "train");
    std::string previous;
    for (int64_t i = 0; i < 4; ++i) {
      LogRecord record = i == 0 ? LogRecord{.type = RecordType::kStart} : Commit(i);
      record.previous = previous;
      texts_.push_back(ToJson(record).dump());
      previous = Sha256Hex(texts_.back());
      batch.Put(keys::LogRecord("j-1", i), texts_.back());
    }
    ASSERT_TRUE(store_.Write(batch).ok());
  }
  void Put(const std::string& key, std::optional<std::string> value) {
    storage::MetaBatch batch;
    if (value) {
      batch.Put(key, *value);
    } else {
      batch.Delete(key);
    }
    ASSERT_TRUE(store_.Write(batch).ok());
  }
  static StatusOr<JobDefinition> Definition(const std::string& id, const std::string& spec,
                                            const std::string& train, const std::string& test) {
    if (spec != "spec" || train != "train" || !test.empty())
      return InvalidArgument({.message = "a strange spec"});
    return JobDefinition{.id = id};
  }
  StatusOr<RecoveredState> Load() { return LoadState(store_, Definition); }
  std::shared_ptr<const RecoveredJob> Ended() {
    const auto ended = FindEnded(store_, "j-1", Definition);
    DL_EXPECT_OK(ended.status());
    return ended.ok() ? *ended : nullptr;
  }

  // Returns the damage of the only job, whether it is found at the start or, if its record says
  // that it ended, by FindEnded.
  Status Damage() {
    const auto state = Load();
    DL_EXPECT_OK(state.status());
    const auto ended = Ended();
    EXPECT_EQ(state->jobs.size(), ended == nullptr ? 1u : 0u);
    if (ended == nullptr && state->jobs.empty()) return absl::OkStatus();
    const RecoveredJob& job = ended == nullptr ? state->jobs[0] : *ended;
    EXPECT_EQ(job.definition.id, "j-1");
    EXPECT_EQ(job.record.state, JobState::kFailed);
    return job.damage;
  }

  storage::MemoryMetaStore store_;
  std::vector<std::string> texts_;
};

TEST_F(StoredLog, IsLoadedCompletely) {
  const auto ended = Ended();
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->log.records.size(), 4u);
  EXPECT_EQ(ended->log.head.last_sha256, Sha256Hex(texts_[3]));
  EXPECT_EQ(ended->record.state, JobState::kFailed);
  EXPECT_TRUE(Load()->jobs.empty()) << "a start does not read it";
}

TEST_F(StoredLog, EachStartIncreasesTerm) {
  EXPECT_EQ(Load()->term, 1u);
  store_.Crash();
  EXPECT_EQ(Load()->term, 2u);
}

TEST_F(StoredLog, ChangedRecordBreaksChain) {
  std::string changed = texts_[1];
  changed.replace(changed.find("\"examples\":16"), 13, "\"examples\":17");
  Put(keys::LogRecord("j-1", 1), changed);
  EXPECT_THAT(Damage(), IsError(absl::StatusCode::kDataLoss, "job j-1, record 2"));
}

TEST_F(StoredLog, MissingRecordIsNamed) {
  Put(keys::LogRecord("j-1", 1), std::nullopt);
  EXPECT_THAT(Damage(), IsError(absl::StatusCode::kDataLoss, "job j-1, record 1"));
}

TEST_F(StoredLog, GarbageIsDataLossWithPlace) {
  Put(keys::LogRecord("j-1", 2), "{");
  EXPECT_THAT(Damage(), IsError(absl::StatusCode::kDataLoss, "job j-1, record 2"));
  Put(keys::LogRecord("j-1", 2), texts_[2]);
  Put(keys::Checkpoint("j-1", 2), "{\"format\":1,\"round\":3}");
  EXPECT_THAT(Damage(), IsError(absl::StatusCode::kDataLoss, "checkpoint/j-1/"));
  Put(keys::Checkpoint("j-1", 2), std::nullopt);
  Put(keys::Job("j-1"), "{\"format\":1,\"state\":\"DREAMING\"}");
  EXPECT_THAT(Damage(), IsError(absl::StatusCode::kDataLoss, "job/j-1"));
  Put(keys::kTerm, "many");
  EXPECT_THAT(Load(), IsError(absl::StatusCode::kDataLoss, keys::kTerm));
}

TEST_F(StoredLog, MissingDocumentIsNamed) {
  Put(keys::Spec("j-1"), std::nullopt);
  EXPECT_THAT(Damage(), IsError(absl::StatusCode::kDataLoss, "spec/j-1"));
  Put(keys::Spec("j-1"), R"({"name":"mlp"})");
  EXPECT_EQ(Ended()->definition.name, "mlp");
  EXPECT_THAT(Damage(), IsError(absl::StatusCode::kDataLoss, "a strange spec"));
  Put(keys::Spec("j-1"), "spec");
  Put(keys::Job("j-1"), std::nullopt);
  EXPECT_THAT(Damage(), IsError(absl::StatusCode::kDataLoss, "job/j-1"));
}

TEST_F(StoredLog, LostCounterReusesNoNumber) {
  Put(keys::kJobsCreated, std::nullopt);
  EXPECT_EQ(Load()->jobs_created, 1u);
}

TEST_F(StoredLog, JobsAreInSubmissionOrder) {
  for (const char* id : {"a-10", "z-2"}) {
    Put(keys::Job(id), ToJson(JobRecord{}).dump());
    Put(keys::Spec(id), "spec");
    Put(keys::TrainManifest(id), "train");
  }
  auto state = Load();
  DL_ASSERT_OK(state);
  ASSERT_EQ(state->jobs.size(), 2u);
  EXPECT_EQ(state->jobs[0].definition.id, "z-2");
  EXPECT_EQ(state->jobs[1].definition.id, "a-10");
  EXPECT_EQ(**store_.Get(keys::Number(2)), "z-2");
}

}  // namespace
}  // namespace dl::master
