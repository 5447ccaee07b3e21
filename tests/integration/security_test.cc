// Authentication at a real master, and the data that other clients can see.
#include <csignal>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/thread.h"
#include "gtest/gtest.h"
#include "launch/pause.h"
#include "launch/user.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/exit_codes.h"
#include "tests/integration/listeners.h"
#include "tests/integration/sample_jobs.h"
#include "tests/integration/secured_cluster.h"
#include "tests/support/folder_content.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/rpc/raw_peer.h"

namespace dl::test {
namespace {

namespace fs = std::filesystem;

TEST(SecurityTest, MasterWithoutKeysListensOnLoopback) {
  const TempFolder folder;
  StandingCluster cluster(folder);
  cluster.StartMaster();
  EXPECT_EQ(TheOne(ListeningOn(cluster.port())), "0100007F");
  for (const char* address : {"0.0.0.0", "::", "192.0.2.7"}) {
    const Finished refused =
        DlSubmit({"master", "--data-dir", folder / "other", "--port", "0", "--address", address});
    EXPECT_EQ(refused.exit_code, kInvalidConfig) << address << refused.errors;
    EXPECT_NE(refused.errors.find("dl-submit cluster init"), std::string::npos) << refused.errors;
    EXPECT_FALSE(fs::exists(folder / "other")) << "nothing was begun";
  }
}

TEST_F(SecuredCluster, EncryptionLeavesResultUnchanged) {
  const std::string job = WriteJob(folder_, "job", MakeSample(folder_, {.epochs = 3}));
  const std::string expected = RunReference(job).value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u);
  EXPECT_EQ(TheOne(ListeningOn(cluster_.port())), "00000000");
  cluster_.StartExecutor();
  cluster_.StartExecutor();
  const Given ada = Give("submit", "ada");
  const Finished done = As(ada, {"submit", job, "--json"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.result().value("state_sha256", ""), expected);
  EXPECT_EQ(cluster_.Job(done.result().value("job", "")).value("owner", ""), "ada");
}

TEST_F(SecuredCluster, OnlyOwnerActsOnJob) {
  const std::string job = WriteJob(folder_, "job", MakeSample(folder_, {.epochs = 1}));
  const Given ada = Give("submit", "ada"), bob = Give("submit", "bob"), eve = Give("read", "eve");
  const Given executor = {.file = data_dir_ + "/executor-token"};
  const std::string id = As(ada, {"submit", job, "-d", "-q"}).text;
  ASSERT_FALSE(id.empty());
  const std::string name = id.substr(0, id.find('\n'));
  for (const Given* other : {&bob, &eve}) {
    EXPECT_EQ(As(*other, {"status", name}).exit_code, 0);
    EXPECT_EQ(As(*other, {"cancel", name}).exit_code, kDenied);
    EXPECT_EQ(As(*other, {"pause", name}).exit_code, kDenied);
  }
  EXPECT_EQ(As(eve, {"submit", job, "-d"}).exit_code, kDenied);
  EXPECT_EQ(As(executor, {"status", name}).exit_code, kDenied);
  for (const Given* other : {&bob, &eve, &executor})
    EXPECT_EQ(As(*other, {"cluster", "token", "list"}).exit_code, kDenied);
  EXPECT_EQ(cluster_.Job(name).value("state", "").substr(0, 6), "QUEUED");
  EXPECT_EQ(As(ada, {"pause", name}).exit_code, 0);
  EXPECT_EQ(As(ada, {"cancel", name}).exit_code, 0);
  EXPECT_EQ(cluster_.Ask("delete", {name}).exit_code, 0) << "an admin";
  const std::string audit = Content(data_dir_ + "/security/audit.log");
  EXPECT_NE(audit.find("\"owner\":\"bob\",\"result\":\"denied\""), std::string::npos) << audit;
}

// Jobs of higher priority run before all others, so only an admin may raise a priority.
TEST_F(SecuredCluster, OnlyAdminSetsPositivePriority) {
  const std::string job = WriteJob(folder_, "job", MakeSample(folder_, {.epochs = 1}));
  const Given ada = Give("submit", "ada");
  const Finished refused = As(ada, {"submit", job, "-d", "--priority", "1"});
  EXPECT_EQ(refused.exit_code, kDenied) << refused.errors;
  EXPECT_NE(refused.errors.find("--priority"), std::string::npos) << refused.errors;
  EXPECT_EQ(cluster_.Ask("list", {}).result().size(), 0u) << "nothing was submitted";
  for (const char* priority : {"0", "-1"})
    EXPECT_EQ(As(ada, {"submit", job, "-d", "--priority", priority}).exit_code, 0) << priority;
  const Given root = {.file = data_dir_ + "/token"};
  EXPECT_EQ(As(root, {"submit", job, "-d", "--priority", "1"}).exit_code, 0) << "an admin";
}

// The other executors continue the job to the same bits.
TEST_F(SecuredCluster, ExecutorWithRevokedTokenComputesNoMore) {
  const std::string job = WriteJob(folder_, "job", MakeSample(folder_, {.epochs = 30}));
  const std::string expected = RunReference(job).value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u);
  const Given stolen = Give("execute", "stolen");
  cluster_.UseExecutorFlags({"--token-file", stolen.file});
  cluster_.StartExecutor();
  cluster_.WaitForExecutor(0);
  const std::string id = cluster_.Submit(job);
  cluster_.WaitForRound(id, 2);
  const Finished revoked =
      DlSubmit({"cluster", "token", "revoke", stolen.id, "--data-dir", data_dir_});
  EXPECT_EQ(revoked.exit_code, 0) << revoked.errors;
  // It waits, because the clock of the master might be wrong. An executor that starts now ends.
  cluster_.WaitForExecutorLog("the master rejects");
  cluster_.KillExecutors();
  cluster_.StartExecutor();
  EXPECT_EQ(cluster_.WaitForExecutorEnd(0), kDenied);
  EXPECT_NE(cluster_.ExecutorLog().find("the master rejects"), std::string::npos)
      << cluster_.ExecutorLog();
  cluster_.UseExecutorFlags({"--token-file", data_dir_ + "/executor-token"});
  cluster_.StartExecutor();
  const Json result = cluster_.Wait(id);
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump();
  EXPECT_EQ(result.value("state_sha256", ""), expected);
}

// So no other executor can take the place of a trusted executor that is away.
TEST_F(SecuredCluster, ReservedNameRequiresItsToken) {
  const std::string file = folder_ / "judge.token";
  const auto create = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"cluster", "token",      "create", "--data-dir",
                                      data_dir_, "--executor", "judge",  "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return DlSubmit(words);
  };
  EXPECT_EQ(create({"--role", "submit"}).exit_code, kUsage);
  const Finished made = create({"--role", "execute", "-o", file});
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  const auto register_as = [&](const std::string& name, const std::string& token) {
    return DlSubmit({"executor", "--master", cluster_.url(), "--name", name, "--token-file", token,
                     "--cache-dir", folder_ / ("cache-" + name)});
  };
  const Finished imitated = register_as("judge", data_dir_ + "/executor-token");
  EXPECT_EQ(imitated.exit_code, kDenied) << imitated.errors;
  EXPECT_NE(imitated.errors.find("an executor needs the token for it"), std::string::npos)
      << imitated.errors;
  const Finished renamed = register_as("clerk", file);
  EXPECT_EQ(renamed.exit_code, kDenied) << renamed.errors;
  EXPECT_NE(renamed.errors.find("--name judge"), std::string::npos) << renamed.errors;
  cluster_.UseExecutorFlags({"--token-file", file, "--name", "judge"});
  cluster_.StartExecutor();
  cluster_.WaitForExecutor(0);
  EXPECT_EQ(cluster_.ExecutorName(0), "judge");
  const Finished list = DlSubmit({"cluster", "token", "list", "--data-dir", data_dir_});
  EXPECT_NE(list.text.find("judge"), std::string::npos) << list.text;
  const std::string audit = Content(data_dir_ + "/security/audit.log");
  EXPECT_NE(audit.find("\"result\":\"denied\""), std::string::npos) << audit;
}

// An executor waits for a master that is away. A web server will never become one.
TEST_F(SecuredCluster, ExecutorAtAWebServerEnds) {
  rpc::RawListener listener;
  Thread http("http",
              [&] { listener.AnswerOne("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"); });
  const Finished ended =
      DlSubmit({"executor", "--master", absl::StrCat("dl://127.0.0.1:", listener.port()),
                "--token-file", data_dir_ + "/executor-token", "--cache-dir", folder_ / "cache"});
  EXPECT_EQ(ended.exit_code, kOtherVersion) << ended.errors;
  EXPECT_NE(ended.errors.find("does not speak Paravane's protocol"), std::string::npos)
      << ended.errors;
}

// An executor loses its name when an admin creates a token for this name.
TEST_F(SecuredCluster, ReservedNameEndsTheSessionThatHadIt) {
  cluster_.UseExecutorFlags({"--token-file", data_dir_ + "/executor-token", "--name", "umpire"});
  cluster_.StartExecutor();
  cluster_.WaitForExecutor(0);
  const std::string file = folder_ / "umpire.token";
  const Finished made = DlSubmit({"cluster", "token", "create", "--data-dir", data_dir_, "--role",
                                  "execute", "--executor", "umpire", "-o", file});
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  cluster_.WaitForExecutorLog("an executor needs the token for it");
  cluster_.KillExecutors();
  cluster_.UseExecutorFlags({"--token-file", file, "--name", "umpire"});
  cluster_.StartExecutor();
  cluster_.WaitForExecutor(0);
}

// Keys and tokens outlive the master. A new certificate of the same CA denies access to no client.
TEST_F(SecuredCluster, TokensOutliveAMasterAndItsCertificate) {
  const Given ada = Give("read", "ada");
  cluster_.KillMaster();
  const Finished renewed = DlSubmit({"cluster", "init", "--renew", "--data-dir", data_dir_,
                                     "--name", "127.0.0.1", "--name", "node7", "--json"});
  EXPECT_EQ(renewed.exit_code, 0) << renewed.errors;
  EXPECT_EQ(renewed.result().at("names"), (Json{"127.0.0.1", "node7", "localhost", "::1"}));
  cluster_.StartMaster();
  EXPECT_EQ(As(ada, {"status"}).exit_code, 0);
  const Finished localhost =
      DlSubmit({"status", "--master", absl::StrCat("dl://localhost:", cluster_.port()),
                "--token-file", ada.file});
  EXPECT_EQ(localhost.exit_code, 0) << "commands on its own machine reach it: " << localhost.errors;
  const Finished twice = DlSubmit({"cluster", "init", "--data-dir", folder_ / "other"});
  EXPECT_EQ(twice.exit_code, 0) << twice.errors;
  const Finished stranger =
      DlSubmit({"status", "--master", cluster_.url(), "--token-file", folder_ / "other/token"});
  EXPECT_EQ(stranger.exit_code, kDenied) << stranger.errors;
  const Finished again = DlSubmit({"cluster", "init", "--data-dir", folder_ / "other"});
  EXPECT_EQ(again.exit_code, kUsage) << again.errors;
  EXPECT_NE(again.errors.find("--renew"), std::string::npos) << again.errors;
  for (const char* flag : {"--tls-cert", "--tls-key"}) {
    const Finished half =
        DlSubmit({"status", "--master", cluster_.url(), flag, folder_ / "none.pem"});
    EXPECT_EQ(half.exit_code, kUsage) << half.errors;
    EXPECT_NE(half.errors.find(absl::StrCat("at: flag ", flag)), std::string::npos) << half.errors;
  }
}

// No file shows yet where the token will be.
TEST(SecurityTest, ExecutorBeforeMasterFindsToken) {
  const TempFolder folder;
  StandingCluster cluster(folder);
  cluster.StartMaster();  // only to choose a port
  cluster.KillMaster();
  for (const std::string& home : launch::HomeFolders())
    fs::remove(home + "/.local/state/paravane/masters/" + std::to_string(cluster.port()));
  fs::remove_all(cluster.data_dir());
  cluster.StartExecutor();
  while (cluster.ExecutorLog().find("executor ") == std::string::npos)
    launch::Pause(std::chrono::milliseconds(20));
  cluster.StartMaster();
  cluster.WaitForExecutor(0);
}

TEST(SecurityTest, TokenFileReadableByOthersIsRefused) {
  const TempFolder folder;
  StandingCluster cluster(folder);
  cluster.StartMaster();
  const std::string copy = folder.Write("token", Content(cluster.data_dir() + "/token"));
  fs::permissions(copy, fs::perms(0644));
  const Finished refused = DlSubmit({"status", "--master", cluster.url(), "--token-file", copy});
  EXPECT_EQ(refused.exit_code, kDenied);
  EXPECT_NE(refused.errors.find("chmod 600"), std::string::npos) << refused.errors;
  fs::permissions(copy, fs::perms(0600));
  EXPECT_EQ(DlSubmit({"status", "--master", cluster.url(), "--token-file", copy}).exit_code, 0);
}

}  // namespace
}  // namespace dl::test
