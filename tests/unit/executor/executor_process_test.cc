// Runs the real `dl-submit executor` process against a real server with a scripted master.
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rpc/server.h"
#include "security/secret_file.h"
#include "tests/support/admitted.h"
#include "tests/support/damage.h"
#include "tests/support/gate.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/executor/scripted_master.h"

namespace dl::executor {
namespace {

using testing::HasSubstr;
using Heard = ScriptedMaster::Heard;

// The service from which the server fetches blocks.
class Blocks final : public rpc::ClientService {
 public:
  explicit Blocks(ScriptedMaster& master) : master_(master) {}
  StatusOr<rpc::Chunk> FetchBlock(const rpc::FetchRequest& request, Duration limit) override {
    return master_.FetchBlock(request, limit);
  }
  StatusOr<rpc::MissingBlocksReply> MissingBlocks(const rpc::MissingBlocksRequest&,
                                                  Duration) override {
    return no_;
  }
  Status PutBlocks(const rpc::PutBlocksRequest&, Duration) override { return no_; }
  StatusOr<rpc::SubmitReply> Submit(const rpc::SubmitRequest&, Duration) override { return no_; }
  StatusOr<rpc::JobActionReply> Act(const rpc::JobActionRequest&, Duration) override { return no_; }
  StatusOr<rpc::QueryReply> Query(const rpc::QueryRequest&, Duration) override { return no_; }
  StatusOr<rpc::EventsReply> Events(const rpc::EventsRequest&, Duration) override { return no_; }
  StatusOr<rpc::Chunk> FetchCheckpoint(const rpc::FetchRequest&, Duration) override { return no_; }
  Status EndRead(const rpc::EndReadRequest&, Duration) override { return no_; }
  StatusOr<rpc::DrainReply> Drain(const rpc::DrainRequest&, Duration) override { return no_; }
  StatusOr<rpc::MeasureReply> Measure(const rpc::MeasureRequest&, Duration) override { return no_; }

 private:
  ScriptedMaster& master_;
  const Status no_ = absl::UnimplementedError("");
};

class ExecutorProcess : public testing::Test {
 protected:
  void Start(const std::vector<std::string>& more = {}, std::vector<std::string> env = {}) {
    ASSERT_NO_FATAL_FAILURE(StartMaster());
    ASSERT_NO_FATAL_FAILURE(StartExecutor(more, std::move(env)));
    DL_ASSERT_OK(child_->ReadLine(kTimeout));
  }
  // Listens at the port of the previous server if there was one.
  void StartMaster(bool serves_executors = true) {
    auto server = rpc::Server::Listen({.port = port_, .version = "scripted"});
    DL_ASSERT_OK(server);
    server_ = *std::move(server);
    port_ = server_->port();
    server_->Serve({.executors = serves_executors ? &master_ : nullptr,
                    .clients = &blocks_,
                    .tokens = &test::TestTokens()});
  }
  void StopMaster() { server_.reset(); }
  void StartExecutor(const std::vector<std::string>& more = {}, std::vector<std::string> env = {}) {
    const char* bin = std::getenv("DL_BIN");
    std::vector<std::string> argv = {
        absl::StrCat(bin == nullptr ? "build/release/bin" : bin, "/dl-submit"),
        "executor",
        "--master",
        absl::StrCat("dl://127.0.0.1:", port_),
        "--token-file",
        token_file_,
        "--cache-dir",
        folder_ / "cache",
        "--name",
        "e1"};
    argv.insert(argv.end(), more.begin(), more.end());
    auto child = Spawner::Real().Start({.argv = std::move(argv),
                                        .env = std::move(env),
                                        .out = ChildOutput::Pipe(),
                                        .err = ChildOutput::File(folder_ / "log")});
    DL_ASSERT_OK(child);
    child_ = *std::move(child);
  }
  Json ReadEvent() {
    auto line = child_->ReadLine(kTimeout);
    DL_EXPECT_OK(line);
    return line.ok() ? Json::parse(*line, nullptr, /*allow_exceptions=*/false) : Json();
  }
  // Leases a unit with the kernel contract of the process.
  void LeaseOut(uint64_t lease) {
    ASSERT_TRUE(master_.WaitUntil([](const Heard& heard) { return !heard.registered.empty(); }));
    master_.LeaseOut(lease, 0, master_.heard().registered[0].contracts[0].contract);
  }
  void ExpectCleanEnd() {
    const auto ended = child_->Wait(kTimeout);
    DL_ASSERT_OK(ended);
    EXPECT_EQ(*ended, ExitStatus{}) << Log();
  }
  std::string Log() const { return ReadFile(folder_ / "log", 1 << 20).value_or(""); }

  static std::string WriteToken(const test::TempFolder& folder) {
    const std::string path = folder / "token";
    DL_EXPECT_OK(security::WriteTokenFile(path, test::TokenOf(security::Role::kExecute)));
    return path;
  }

  const test::TempFolder folder_;
  const std::string token_file_ = WriteToken(folder_);
  ScriptedMaster master_;
  Blocks blocks_{master_};
  int port_ = 0;
  std::unique_ptr<rpc::Server> server_;  // must be destroyed before the master
  std::unique_ptr<ChildProcess> child_;
};

TEST_F(ExecutorProcess, PrintsReadyWhenRegistered) {
  ASSERT_NO_FATAL_FAILURE(StartMaster());
  StopMaster();
  ASSERT_NO_FATAL_FAILURE(StartExecutor());
  // The executor has tried to connect and logs that it waits.
  while (Log().find("waiting for the master") == std::string::npos) {
  }
  ASSERT_NO_FATAL_FAILURE(StartMaster());
  const Json ready = ReadEvent();
  EXPECT_EQ(ready.value("type", ""), "ready") << ready.dump();
  EXPECT_EQ(ready.value("role", ""), "executor");
  EXPECT_EQ(ready.value("executor", ""), "e1");
  EXPECT_EQ(master_.heard().registered.size(), 1u);
  EXPECT_EQ(ready["kernel_contracts"][0], master_.heard().registered[0].contracts[0].contract);
  DL_ASSERT_OK(child_->Signal(SIGTERM));
  EXPECT_EQ(child_->ReadAll(kTimeout, 1 << 20).value_or("none"), "") << "one line is all";
  ExpectCleanEnd();
  EXPECT_THAT(Log(), HasSubstr(absl::StrCat("waiting for the master at dl://127.0.0.1:", port_)));
  EXPECT_THAT(Log(), HasSubstr("registered with the master"));
}

TEST_F(ExecutorProcess, PrintsConnectionEventsAsJson) {
  ASSERT_NO_FATAL_FAILURE(StartMaster());
  StopMaster();
  ASSERT_NO_FATAL_FAILURE(StartExecutor({"--json"}));
  const Json waiting = ReadEvent();
  EXPECT_EQ(waiting.value("type", ""), "waiting") << waiting.dump();
  EXPECT_EQ(waiting.value("executor", ""), "e1");
  EXPECT_EQ(waiting.value("master", ""), absl::StrCat("dl://127.0.0.1:", port_));
  EXPECT_EQ(waiting["error"].value("code", ""), "unavailable") << waiting.dump();
  ASSERT_NO_FATAL_FAILURE(StartMaster());
  EXPECT_EQ(ReadEvent().value("type", ""), "ready");
  DL_ASSERT_OK(child_->Signal(SIGTERM));
  EXPECT_EQ(child_->ReadAll(kTimeout, 1 << 20).value_or("none"), "");
  ExpectCleanEnd();
}

TEST_F(ExecutorProcess, RunsWithoutCacheOnFullDisk) {
  test::SmallDisk disk(1 << 20);
  if (!disk.refused().empty()) GTEST_SKIP() << disk.refused();
  std::filesystem::create_symlink(disk.path(), folder_ / "cache");
  std::ofstream(disk.path() + "/other") << "an empty disk cannot be made full";
  disk.Leave(0);
  ASSERT_NO_FATAL_FAILURE(StartMaster());
  ASSERT_NO_FATAL_FAILURE(StartExecutor());
  EXPECT_EQ(ReadEvent().value("type", ""), "ready");
  DL_ASSERT_OK(child_->Signal(SIGTERM));
  ExpectCleanEnd();
  EXPECT_THAT(Log(), HasSubstr("continuing without a crash note: "));
  EXPECT_THAT(Log(), HasSubstr("continuing without a cache of data blocks: "));
  EXPECT_THAT(Log(), HasSubstr("No space left on device"));
}

TEST_F(ExecutorProcess, RunsWithoutCacheOnFailingDisk) {
  ASSERT_NO_FATAL_FAILURE(StartMaster());
  ASSERT_NO_FATAL_FAILURE(StartExecutor({}, {"DL_FAIL_POINTS=file.write=error@1+"}));
  EXPECT_EQ(ReadEvent().value("type", ""), "ready");
  DL_ASSERT_OK(child_->Signal(SIGTERM));
  ExpectCleanEnd();
  EXPECT_THAT(Log(), HasSubstr("continuing without a cache of data blocks: "));
}

TEST_F(ExecutorProcess, StartsWithoutCacheOnHangingDisk) {
  std::filesystem::create_directory(folder_ / "cache");
  // To read a named pipe waits for a writer.
  ASSERT_EQ(mkfifo((folder_ / "cache/FORMAT").c_str(), 0600), 0);
  ASSERT_NO_FATAL_FAILURE(StartMaster());
  ASSERT_NO_FATAL_FAILURE(StartExecutor());
  EXPECT_EQ(ReadEvent().value("type", ""), "ready");
  DL_ASSERT_OK(child_->Signal(SIGTERM));
  ExpectCleanEnd();
  EXPECT_THAT(Log(), HasSubstr("cache has not answered for 10 s; this executor works without it"));
}

TEST_F(ExecutorProcess, ComputesAndEndsOnHangingDisk) {
  ASSERT_NO_FATAL_FAILURE(Start({}, {"DL_FAIL_POINTS=store.write=hang"}));
  LeaseOut(1);
  ASSERT_TRUE(master_.WaitUntil([](const Heard& heard) { return !heard.contributed.empty(); }))
      << Log();
  DL_ASSERT_OK(child_->Signal(SIGTERM));
  ExpectCleanEnd();
  EXPECT_THAT(Log(), HasSubstr("cache has not answered for 10 s; blocks are fetched"));
}

TEST_F(ExecutorProcess, StopEndsWaitForMaster) {
  ASSERT_NO_FATAL_FAILURE(StartMaster());
  StopMaster();
  ASSERT_NO_FATAL_FAILURE(StartExecutor({"--json"}));
  EXPECT_EQ(ReadEvent().value("type", ""), "waiting");
  DL_ASSERT_OK(child_->Signal(SIGTERM));
  EXPECT_EQ(child_->ReadAll(kTimeout, 1 << 20).value_or("none"), "") << "it was never ready";
  ExpectCleanEnd();
}

TEST_F(ExecutorProcess, EndsWhereNoMasterForItIs) {
  ASSERT_NO_FATAL_FAILURE(StartMaster(/*serves_executors=*/false));
  ASSERT_NO_FATAL_FAILURE(StartExecutor());
  EXPECT_EQ(child_->ReadAll(kTimeout, 1 << 20).value_or("none"), "") << "it was never ready";
  const auto ended = child_->Wait(kTimeout);
  DL_ASSERT_OK(ended);
  EXPECT_EQ(ended->code, 76) << Log();
  EXPECT_THAT(Log(), HasSubstr("does not offer"));
}

TEST_F(ExecutorProcess, RestartsOnRequestOfMaster) {
  master_.on_heartbeat = [](const rpc::HeartbeatRequest& request, rpc::HeartbeatReply& reply) {
    reply.number = 1;
    reply.restart = request.session == 1;
    reply.restart_reason = "unit j@1/0 has made no progress for 60 s";
  };
  ASSERT_NO_FATAL_FAILURE(Start({"--slots", "2"}));
  ASSERT_TRUE(master_.WaitUntil([](const Heard& heard) { return heard.registered.size() >= 2; }))
      << Log();
  const Heard heard = master_.heard();
  EXPECT_EQ(heard.registered[1].executor, "e1");
  EXPECT_EQ(heard.registered[1].slots, 2) << "the same arguments";
  EXPECT_EQ(heard.registered[1].pid, child_->pid());
  EXPECT_GT(heard.registered[1].incarnation, heard.registered[0].incarnation);
  EXPECT_THAT(
      Log(), HasSubstr("restarting, as the master asks: unit j@1/0 has made no progress for 60 s"));
  DL_ASSERT_OK(child_->Signal(SIGTERM));
  ExpectCleanEnd();
}

// The restart must also work if a unit hangs, because a hanging unit never releases its thread.
TEST_F(ExecutorProcess, HangingUnitDoesNotPreventRestart) {
  const std::string hung = folder_ / "hung";  // exists once the unit hangs
  master_.on_heartbeat = [&](const rpc::HeartbeatRequest& request, rpc::HeartbeatReply& reply) {
    reply.restart = request.session == 1 && std::filesystem::exists(hung);
    reply.restart_reason = "unit j@1/0 has made no progress for 60 s";
  };
  ASSERT_NO_FATAL_FAILURE(Start({}, {"DL_FAIL_POINTS=executor.compute=hang@1" + hung}));
  LeaseOut(1);
  ASSERT_TRUE(master_.WaitUntil([](const Heard& heard) { return heard.registered.size() >= 2; }))
      << Log();
  LeaseOut(2);
  ASSERT_TRUE(master_.WaitUntil([](const Heard& heard) { return !heard.contributed.empty(); }))
      << Log();
  DL_ASSERT_OK(child_->Signal(SIGTERM));
  ExpectCleanEnd();
}

TEST_F(ExecutorProcess, StopDeliversRunningUnits) {
  test::Gate gate;
  master_.on_fetch_part = [&](const auto&, rpc::Chunk&) {
    gate.Wait();
    return absl::OkStatus();
  };
  ASSERT_NO_FATAL_FAILURE(Start());
  const test::OpenedAtTheEnd let_go(gate);
  LeaseOut(1);
  ASSERT_TRUE(master_.WaitUntil([](const Heard& heard) {
    return !heard.heartbeats.empty() && !heard.heartbeats.back().running.empty();
  })) << Log();
  DL_ASSERT_OK(child_->Signal(SIGTERM));
  // The executor has received the signal. It must not ask for work while the unit runs.
  const size_t beats = master_.heard().heartbeats.size();
  ASSERT_TRUE(
      master_.WaitUntil([&](const Heard& heard) { return heard.heartbeats.size() >= beats + 3; }));
  EXPECT_EQ(master_.heard().goodbyes, 0);
  gate.Open();
  ExpectCleanEnd();
  EXPECT_EQ(master_.heard().contributed.size(), 1u) << Log();
  EXPECT_EQ(master_.heard().goodbyes, 1);
}

TEST_F(ExecutorProcess, KilledProcessIsRestartedWithFlag) {
  const std::string once = absl::StrCat("DL_FAIL_POINTS=executor.compute=kill@1", folder_ / "once");
  ASSERT_NO_FATAL_FAILURE(Start({"--restart"}, {once}));
  LeaseOut(1);
  DL_ASSERT_OK(child_->ReadLine(kTimeout)) << Log();
  EXPECT_TRUE(master_.WaitUntil([](const Heard& heard) { return heard.registered.size() == 2; }));
  DL_ASSERT_OK(child_->Signal(SIGTERM));
  ExpectCleanEnd();
  EXPECT_EQ(master_.heard().goodbyes, 1) << "the signal did not reach it";
}

class HangingMasterAtStop : public ExecutorProcess {
 protected:
  void StartAndHang(const std::vector<std::string>& more) {
    ASSERT_NO_FATAL_FAILURE(Start(more, {"DL_FAIL_POINTS=executor.compute=hang@1"}));
    LeaseOut(1);
    ASSERT_TRUE(master_.WaitUntil([](const Heard& heard) {
      return !heard.heartbeats.empty() && !heard.heartbeats.back().running.empty() &&
             heard.heartbeats.back().running[0].bytes_moved > 0;
    })) << Log();
    DL_ASSERT_OK(child_->Signal(SIGTERM));
  }
};

TEST_F(HangingMasterAtStop, SecondSignalEndsWait) {
  StartAndHang({"--drain-seconds", "3600"});
  DL_ASSERT_OK(child_->Signal(SIGINT));
  ExpectCleanEnd();
  EXPECT_EQ(master_.heard().goodbyes, 1);
  EXPECT_TRUE(master_.heard().contributed.empty());
}

TEST_F(HangingMasterAtStop, DeadlineEndsWait) {
  StartAndHang({"--drain-seconds", "1"});
  ExpectCleanEnd();
  EXPECT_EQ(master_.heard().goodbyes, 1);
}

}  // namespace
}  // namespace dl::executor
