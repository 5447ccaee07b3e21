// The gateway: what it writes in one batch, what it refuses, and what it reads from the stores.
#include "master/gateway/gateway.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "base/limits.h"
#include "base/part_name.h"
#include "base/thread.h"
#include "master/core/record_keys.h"
#include "master/core/records/checkpoint_record.h"
#include "tests/unit/master/gateway_fixture.h"

namespace dl::master {
namespace {

using test::IsError;

constexpr Duration kAtOnce{0};

TEST_F(GatewayTest, LargeEventsAreSplitIntoBatches) {
  constexpr int kJobs = 8;
  constexpr uint64_t kSize = 6 << 20;
  const rpc::SubmitRequest large = Submission("", kSize);
  store_.Hold();
  StartShell();
  for (int i = 0; i < kJobs; ++i) PostToShell(std::to_string(i), large);
  store_.Release();
  const std::string last = "large-" + std::to_string(kJobs);
  const auto jobs = shell_->SendRequest<JobViews>(JobsQuery{.ids = {"large-1", last}}, kLong);
  DL_ASSERT_OK(jobs);
  EXPECT_EQ(jobs->by_id.size(), 2U);
  EXPECT_GT(store_.largest(), 2 * kSize);  // several submissions share a batch
  EXPECT_LT(store_.largest(), limits::kMetaFullBatchBytes + kSize + (1 << 20));
}

TEST_F(GatewayTest, RepeatedSubmissionIsStoredOnce) {
  const rpc::SubmitRequest request = Submission("r", 10);
  Start();
  store_.Hold();
  EXPECT_THAT(gateway_->Submit(request, kAtOnce), IsError(absl::StatusCode::kDeadlineExceeded, ""));
  store_.Release();
  const auto reply = gateway_->Submit(request, kLong);
  DL_ASSERT_OK(reply);
  EXPECT_EQ(reply->job, "large-1");
  const auto jobs = gateway_->Query({.what = rpc::QueryKind::kJobs}, kLong);
  DL_ASSERT_OK(jobs);
  EXPECT_EQ(Json::parse(jobs->json).size(), 1U);
}

TEST_F(GatewayTest, MasterWorksWhileItsDiskHangs) {
  Start();
  store_.Hold();
  EXPECT_THAT(gateway_->Submit(Submission("r", 10), kAtOnce),
              IsError(absl::StatusCode::kDeadlineExceeded, ""));
  store_.WaitForWrite();
  EXPECT_TRUE(gateway_->Works(kAtOnce));
  store_.Release();
  EXPECT_TRUE(gateway_->Works(kLong));
}

TEST_F(GatewayTest, ResumeAfterTimedOutDeletionFindsNoJob) {
  Start();
  const auto job = gateway_->Submit(Submission("s", 10), kLong);
  DL_ASSERT_OK(job);
  const auto act = [&](const std::string& request_id, rpc::JobAction action, Duration deadline) {
    return gateway_->Act({.request_id = request_id,
                          .job = job->job,
                          .action = action,
                          .by = {.role = security::Role::kAdmin}},
                         deadline);
  };
  DL_ASSERT_OK(act("c", rpc::JobAction::kCancel, kLong));
  store_.Hold();
  // The turn of the previous action may end shortly after its answer.
  Status deleted;
  do {
    deleted = act("d", rpc::JobAction::kDelete, kAtOnce).status();
  } while (absl::IsUnavailable(deleted));
  EXPECT_THAT(deleted, IsError(absl::StatusCode::kDeadlineExceeded, ""));
  // The deletion is being written, and the store still has the job.
  EXPECT_THAT(act("r1", rpc::JobAction::kResume, kAtOnce),
              IsError(absl::StatusCode::kUnavailable, "another action or submission"));
  store_.Release();
  EXPECT_THAT(gateway_->Query({.what = rpc::QueryKind::kJob, .job = job->job}, kLong),
              IsError(absl::StatusCode::kNotFound, "no job"));
  EXPECT_THAT(act("r2", rpc::JobAction::kResume, kLong),
              IsError(absl::StatusCode::kNotFound, "no job"));
}

TEST_F(GatewayTest, UploadWithWrongSizesIsRefused) {
  Start();
  const std::string one = Sha256Hex("one"), three = Sha256Hex("three");
  struct Case {
    rpc::PutBlocksRequest request;
    absl::StatusCode code;
    const char* what;
  };
  const std::vector<std::string> many(limits::kMaxPutBlocks + 1, one);
  for (const Case& c :
       {Case{{.sha256 = {one, three}, .sizes = {3}, .bytes = "one"},
             absl::StatusCode::kInvalidArgument,
             "2 names, but 1 sizes"},
        Case{{.sha256 = {one, three}, .sizes = {3, 5}, .bytes = "onethre"},
             absl::StatusCode::kInvalidArgument,
             "a block has 5 bytes, but only 4 bytes are left in the upload"},
        Case{{.sha256 = {one, three}, .sizes = {-1, 9}, .bytes = "onethree"},
             absl::StatusCode::kInvalidArgument,
             "a block has -1 bytes"},
        Case{{.sha256 = {one, three}, .sizes = {3, 5}, .bytes = "onethree!"},
             absl::StatusCode::kInvalidArgument,
             "1 bytes of the upload belong to no block"},
        Case{{.sha256 = many, .sizes = std::vector<int64_t>(many.size(), 0), .bytes = ""},
             absl::StatusCode::kResourceExhausted,
             "blocks in one upload"},
        Case{{.sha256 = {one, three}, .sizes = {3, 5}, .bytes = "oneTHREE"},
             absl::StatusCode::kInvalidArgument,
             "does not match its SHA-256 name"}}) {
    EXPECT_THAT(gateway_->PutBlocks(c.request, kLong), IsError(c.code, c.what));
  }
  EXPECT_TRUE(blobs_->Names().empty()) << "all of an upload is stored, or nothing";
  DL_ASSERT_OK(
      gateway_->PutBlocks({.sha256 = {one, three}, .sizes = {3, 5}, .bytes = "onethree"}, kLong));
  EXPECT_EQ(*blobs_->Get(three), "three");
}

TEST_F(GatewayTest, SubmissionLargerThanBatchIsRefused) {
  Start();
  rpc::SubmitRequest request{.request_id = "r",
                             .spec = " ",
                             .train_manifest = std::string(32 << 20, ' '),
                             .test_manifest = std::string(32 << 20, ' ')};
  const Status status = gateway_->Submit(request, kLong).status();
  EXPECT_THAT(status, IsError(absl::StatusCode::kResourceExhausted, "the limit is 67108864"));
  EXPECT_FALSE(ErrorRemedy(status).empty());
  request = {.request_id = "r", .spec = std::string(limits::kMaxSpecBytes + 1, ' ')};
  EXPECT_THAT(gateway_->Submit(request, kLong),
              IsError(absl::StatusCode::kResourceExhausted, "the limit is 4194304"));
}

TEST_F(GatewayTest, CheckpointIsReadInRequestedChunks) {
  constexpr int64_t kChunk = limits::kChunkBytes;
  std::string global(2 * kChunk + 24, 'g');
  for (size_t i = 0; i < global.size(); i += 1000) global[i] = static_cast<char>(i / 1000);
  const std::string worker = "kept state";
  // The first part is stored with its piece hashes. The second is stored without, as by older
  // builds.
  const PieceHashes list = HashPieces(std::as_bytes(std::span(global)));
  const std::vector<storage::PartBytes> parts = {{"model", std::as_bytes(std::span(global)), list},
                                                 {"updater-0", std::as_bytes(std::span(worker))}};
  auto manifest = checkpoints_.Write({.id = {.job = "job-1", .round = 3, .term = 1, .nonce = 1},
                                      .state_sha256 = "abc",
                                      .parts = parts});
  DL_ASSERT_OK(manifest);
  manifest->parts[0].chunk_xxh3[1] ^= 1;  // simulates damage
  const CheckpointInfo info{
      .round = 3, .names = {"s", {}}, .manifest = ToJson(*manifest).dump(), .place = 4};
  store_.Put(keys::Checkpoint("job-1", 3), JsonText(ToJson(info)));
  Start();
  const std::string name = "job-1@3/model";
  const auto list_of = [&](const std::string& part, int64_t offset) {
    return gateway_->FetchCheckpoint({.sha256 = part, .offset = offset}, kLong)->piece_hashes;
  };
  EXPECT_EQ(list_of(name, 0), list);
  EXPECT_EQ(list_of(name, 1), "");
  EXPECT_EQ(list_of("job-1@3/updater-0", 0), HashPieces(std::as_bytes(std::span(worker))));
  EXPECT_EQ(*Fetch(name, 0, kChunk), global.substr(0, kChunk));
  EXPECT_EQ(*Fetch("job-1@3/updater-0", 0, kChunk), worker);
  EXPECT_EQ(*Fetch(name, 2 * kChunk, kChunk), global.substr(2 * kChunk));
  EXPECT_EQ(*Fetch(name, 1000, 5), global.substr(1000, 5));
  EXPECT_EQ(*Fetch(name, 2 * kChunk + 24, kChunk), "");
  for (const int64_t offset : {kChunk, kChunk / 2}) {
    EXPECT_THAT(Fetch(name, offset, kChunk), IsError(absl::StatusCode::kDataLoss, "chunk 1"));
  }
  for (const auto& [offset, length] :
       std::vector<std::pair<int64_t, int64_t>>{{-1, 1}, {2 * kChunk + 25, 1}, {0, kChunk + 1}}) {
    EXPECT_THAT(Fetch(name, offset, length), IsError(absl::StatusCode::kInvalidArgument, ""));
  }
  EXPECT_THAT(Fetch("job-1@3/nothing", 0, 1), IsError(absl::StatusCode::kNotFound, "nothing"));
  EXPECT_THAT(Fetch("job-1@4/model", 0, 1), IsError(absl::StatusCode::kNotFound, ""));
  EXPECT_THAT(Fetch("job-1", 0, 1), IsError(absl::StatusCode::kInvalidArgument, "JOB@ROUND/PART"));
}

// Otherwise a peer adds events to the core's queue without a limit.
TEST_F(GatewayTest, EndOfAReadWaitsForTheCore) {
  Start();
  store_.Hold();
  EXPECT_THAT(gateway_->Submit(Submission("s", 1), kAtOnce),
              IsError(absl::StatusCode::kDeadlineExceeded, ""));
  store_.WaitForWrite();
  const rpc::EndReadRequest end{.checkpoint = "job-1@3", .reader = 7};
  EXPECT_THAT(gateway_->EndRead(end, kAtOnce), IsError(absl::StatusCode::kDeadlineExceeded, ""));
  store_.Release();
  DL_EXPECT_OK(gateway_->EndRead(end, kLong));
}

// While a batch is written, the core continues. Requests for work do not wait for the disk, but all
// other requests do.
TEST_F(GatewayTest, LeasesAreSentDuringWriteOfBatch) {
  Start();
  const auto session =
      gateway_->Register({.executor = "e1", .slots = 1, .contracts = {{"c", ""}}}, kLong);
  DL_ASSERT_OK(session);
  const rpc::SubmitRequest submission = Submission("s", 1);
  store_.Hold();
  EXPECT_THAT(gateway_->Submit(submission, kAtOnce),
              IsError(absl::StatusCode::kDeadlineExceeded, ""));
  store_.WaitForWrite();
  DL_EXPECT_OK(gateway_->LeaseUnits({.session = session->session, .free_slots = 1}, kLong));
  EXPECT_THAT(gateway_->Query({.what = rpc::QueryKind::kJobs}, std::chrono::milliseconds(50)),
              IsError(absl::StatusCode::kDeadlineExceeded, ""));
  store_.Release();
  const auto jobs = gateway_->Query({.what = rpc::QueryKind::kJobs}, kLong);
  DL_ASSERT_OK(jobs);
  EXPECT_EQ(Json::parse(jobs->json).size(), 1u);
}

TEST_F(GatewayTest, PollDoesNotWaitForDisk) {
  constexpr int64_t kAnyAge = 3'600'000;
  Start();
  for (const auto what : {rpc::QueryKind::kJobs, rpc::QueryKind::kCluster}) {
    DL_ASSERT_OK(gateway_->Query({.what = what, .max_age_ms = kAnyAge}, kLong));
  }
  const rpc::SubmitRequest submission = Submission("s", 1);
  store_.Hold();
  EXPECT_THAT(gateway_->Submit(submission, kAtOnce),
              IsError(absl::StatusCode::kDeadlineExceeded, ""));
  store_.WaitForWrite();
  EXPECT_THAT(gateway_->Query({.what = rpc::QueryKind::kJobs}, std::chrono::milliseconds(50)),
              IsError(absl::StatusCode::kDeadlineExceeded, ""));
  for (const auto what : {rpc::QueryKind::kJobs, rpc::QueryKind::kCluster}) {
    DL_EXPECT_OK(gateway_->Query({.what = what, .max_age_ms = kAnyAge}, kAtOnce));
  }
  EXPECT_EQ(gateway_->Query({.what = rpc::QueryKind::kJobs, .max_age_ms = kAnyAge}, kAtOnce)->json,
            "[]");
  store_.Release();
  while (gateway_->Query({.what = rpc::QueryKind::kJobs, .max_age_ms = kAnyAge}, kLong)->json ==
         "[]") {
  }
  EXPECT_THAT(gateway_->Query({.what = rpc::QueryKind::kJobs, .max_age_ms = -1}, kLong),
              IsError(absl::StatusCode::kInvalidArgument, "age"));
}

// The disk is slower than a lease, and there is more to write than one batch, so the core waits.
// Sessions whose heartbeats arrived meanwhile are not lost.
TEST_F(GatewayTest, HeartbeatCountsFromArrival) {
  constexpr Duration kTimeout = std::chrono::seconds(5);
  StartShell({.session_timeout = kTimeout});
  const auto join = [&](const char* name) {
    auto reply = shell_->SendRequest<rpc::RegisterReply>(
        rpc::RegisterRequest{.executor = name, .slots = 1, .contracts = {{"c", ""}}}, kLong);
    DL_EXPECT_OK(reply);
    return reply->session;
  };
  const auto heard = [&](uint64_t session, Duration wait) {
    return shell_->SendRequest<rpc::HeartbeatReply>(rpc::HeartbeatRequest{.session = session}, wait)
        .status();
  };
  const rpc::SubmitRequest large = Submission("", 6 << 20);
  const uint64_t first = join("e1"), second = join("e2");
  store_.Hold();
  // Heartbeats continue however long the submissions take on this machine.
  std::atomic<bool> submitted = false;
  Thread beats("beats", [&] {
    while (!submitted) {
      for (const uint64_t session : {first, second}) (void)heard(session, kTimeout / 20);
    }
  });
  for (int i = 0; i < 5; ++i) {
    PostToShell(std::to_string(i), large);
    if (i == 0) store_.WaitForWrite();
  }
  submitted = true;
  beats.Join();
  // Heartbeats are frequent, so that a stalled test machine does not end a session.
  const Instant longer = Clock::Real().Now() + kTimeout;
  while (Clock::Real().Now() < longer) {
    for (const uint64_t session : {first, second})
      EXPECT_TRUE(absl::IsDeadlineExceeded(heard(session, kTimeout / 20)));
  }
  store_.Release();
  DL_EXPECT_OK(heard(first, kLong));
  DL_EXPECT_OK(heard(second, kLong));
}

TEST_F(GatewayTest, AnswerWakesOnlyItsCaller) {
  constexpr int kIdle = 20, kAnswers = 100;
  Start();
  const auto join = [&](const std::string& name) {
    auto reply =
        gateway_->Register({.executor = name, .slots = 1, .contracts = {{"c", ""}}}, kLong);
    DL_EXPECT_OK(reply);
    return reply->session;
  };
  const uint64_t busy = join("busy");
  std::atomic<bool> over = false;
  std::atomic<int> answered = 0;  // idle requests that were answered at their deadline
  std::vector<Thread> executors;
  for (int i = 0; i < kIdle; ++i) {
    executors.emplace_back("idle", [&, session = join("idle-" + std::to_string(i))] {
      for (; !over; ++answered) {
        DL_EXPECT_OK(
            gateway_->LeaseUnits({.session = session, .free_slots = 1, .wait_ms = 1'000}, kLong));
      }
    });
  }
  while (gateway_->waiting() < kIdle) {
  }
  const int64_t before = gateway_->wake_ups();
  for (int i = 0; i < kAnswers; ++i) DL_EXPECT_OK(gateway_->Heartbeat({.session = busy}, kLong));
  const int64_t wake_ups = gateway_->wake_ups() - before;
  over = true;
  EXPECT_LE(wake_ups, kAnswers + 2 * (kIdle + answered));
  for (Thread& executor : executors) executor.Join();
}

TEST_F(GatewayTest, ClusterAnswerHasAllExecutors) {
  constexpr size_t kExecutors = 2 * ClusterQuery::kMaxExecutors + 3;
  Start();
  std::set<std::string> joined, shown;
  uint64_t session = 0;
  for (size_t i = 0; i < kExecutors; ++i) {
    const std::string name = "e" + std::to_string(i);
    const auto reply =
        gateway_->Register({.executor = name, .slots = 1, .contracts = {{"c", ""}}}, kLong);
    DL_ASSERT_OK(reply);
    session = reply->session;
    joined.insert(name);
  }
  DL_ASSERT_OK(gateway_->Heartbeat({.session = session, .retries = {.leases = 5}}, kLong));
  const auto cluster = gateway_->Query({.what = rpc::QueryKind::kCluster}, kLong);
  DL_ASSERT_OK(cluster);
  const Json json = Json::parse(cluster->json);
  EXPECT_EQ(json.at("executors").size(), kExecutors);
  for (const Json& executor : json.at("executors")) shown.insert(executor.at("executor"));
  EXPECT_EQ(shown, joined);
  EXPECT_EQ(json.at("retries").at("leases"), 5);
}

TEST_F(GatewayTest, LongStepsAreReported) {
  Start();
  const auto cluster = gateway_->Query({.what = rpc::QueryKind::kCluster}, kLong);
  DL_ASSERT_OK(cluster);
  const Json core = Json::parse(cluster->json).at("core");
  EXPECT_GE(core.at("steps").get<int64_t>(), 1);
  EXPECT_GE(core.at("longest_ms").get<double>(), 0);
  EXPECT_TRUE(core.contains("long_steps") && core.contains("longest_event"));
}

// A job's log comes in pages, which together are complete.
TEST_F(GatewayTest, RoundLogIsReturnedInPages) {
  constexpr int64_t kRecords = 10;
  const std::string padding(limits::kMaxLogPageBytes / 4, 'x');
  for (int64_t i = 0; i < kRecords; ++i)
    store_.Put(keys::LogRecord("j-1", i), Json{{"number", i}, {"padding", padding}}.dump());
  store_.Put(keys::LogRecord("j-1", kRecords),
             Json{{"number", kRecords}, {"padding", std::string(2 * limits::kMaxLogPageBytes, 'x')}}
                 .dump());
  Start();
  int64_t next = 0;
  int pages = 0;
  std::vector<int64_t> numbers;
  do {
    const auto page =
        gateway_->Query({.what = rpc::QueryKind::kLog, .job = "j-1", .first = next}, kLong);
    DL_ASSERT_OK(page);
    for (const Json& record : Json::parse(page->json)) numbers.push_back(record.at("number"));
    next = page->next_first;
    ++pages;
  } while (next != 0);
  ASSERT_EQ(numbers.size(), kRecords + 1);
  for (int64_t i = 0; i <= kRecords; ++i) EXPECT_EQ(numbers[i], i);
  // Three pages of three records, one of one record, one with the large record.
  EXPECT_EQ(pages, 5);
  EXPECT_EQ(gateway_->Query({.what = rpc::QueryKind::kLog, .job = "none"}, kLong)->json, "[]");
  EXPECT_EQ(gateway_->Query({.what = rpc::QueryKind::kLog, .job = "j-1", .first = 99}, kLong)->json,
            "[]");
  EXPECT_THAT(gateway_->Query({.what = rpc::QueryKind::kLog, .job = "j-1", .first = -1}, kLong),
              IsError(absl::StatusCode::kInvalidArgument, ""));
}

// The request for work is answered at once and not at its deadline, so the executor can end.
TEST_F(GatewayTest, WaitingExecutorIsNotifiedOfShutdown) {
  Start();
  const auto session = gateway_->Register(
      {.executor = "e1", .incarnation = 1, .slots = 1, .contracts = {{"c", "avx2"}}}, kLong);
  DL_ASSERT_OK(session);
  StatusOr<rpc::LeaseReply> reply = rpc::LeaseReply{};
  Thread executor("executor", [&] {
    reply = gateway_->LeaseUnits({.session = session->session, .free_slots = 1, .wait_ms = 20'000},
                                 kLong);
  });
  gateway_->Shutdown(kLong);
  executor.Join();
  EXPECT_THAT(reply.status(), IsError(absl::StatusCode::kUnavailable, "stopping"));
}

}  // namespace
}  // namespace dl::master
