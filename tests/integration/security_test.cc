// Who is let in by a real master, and what others see of it.
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/files.h"
#include "gtest/gtest.h"
#include "launch/pause.h"
#include "launch/user.h"
#include "security/secret_file.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/folder_content.h"
#include "tests/support/status_matchers.h"

namespace dl::test {
namespace {

namespace fs = std::filesystem;

constexpr int kDenied = 77;
constexpr int kInvalidConfig = 78;
constexpr Duration kLong = std::chrono::minutes(5);

// A master with keys, on all addresses, in D; executors with the token that init made for them.
class SecuredCluster : public testing::Test {
 protected:
  void SetUp() override {
    const Finished made = DlSubmit({"cluster", "init", "--data-dir", data_dir_, "--json"});
    ASSERT_EQ(made.exit_code, 0) << made.errors;
    cluster_.UseMasterFlags({"--address", "0.0.0.0"});
    cluster_.UseExecutorFlags({"--token-file", data_dir_ + "/executor-token"});
    ASSERT_NO_FATAL_FAILURE(cluster_.StartMaster());
  }

  // A token's file, and its id.
  struct Given {
    std::string file, id;
  };
  Given Give(const std::string& role, const std::string& owner) {
    Given given{.file = folder_ / (owner + "-" + role)};
    const Finished made = DlSubmit({"cluster", "token", "create", "--data-dir", data_dir_, "--role",
                                    role, "--owner", owner, "-o", given.file, "--json"});
    EXPECT_EQ(made.exit_code, 0) << made.errors;
    given.id = made.result().value("id", "");
    return given;
  }
  Finished As(const Given& who, std::vector<std::string> words) {
    words.insert(words.end(), {"--master", cluster_.url(), "--token-file", who.file});
    return DlSubmit(words);
  }

  const TempFolder folder_;
  const std::string data_dir_ = folder_ / "D";
  StandingCluster cluster_{folder_, data_dir_};
};

// Addresses, as the kernel writes them, on which anybody listens on that port.
std::vector<std::string> ListeningOn(int port) {
  std::vector<std::string> addresses;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
      if (words.size() > 3 && words[3] == "0A" &&
          words[1].ends_with(
              ":" + absl::AsciiStrToUpper(absl::StrCat(absl::Hex(port, absl::kZeroPad4))))) {
        addresses.push_back(words[1].substr(0, words[1].find(':')));
      }
    }
  }
  return addresses;
}

std::string TheOne(std::vector<std::string> addresses) {
  return addresses.size() == 1 ? addresses.front() : absl::StrCat(addresses.size(), " listen");
}

TEST(SecurityTest, WithoutKeysAMasterIsOnLoopbackAloneAndSaysWhatKeysTake) {
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

// Its own user needs to type nothing; whoever else is on the machine gets nothing.
TEST(SecurityTest, AnotherUserOfTheMachineIsDenied) {
  const TempFolder folder;
  StandingCluster cluster(folder);
  cluster.StartMaster();
  EXPECT_EQ(DlSubmit({"status", "--master", cluster.url()}).exit_code, 0);
  if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  // Where nobody else may read the program, there is nothing to show.
  const std::string copy = "/tmp/" + fs::path(folder.path()).filename().string() + "-dl-submit";
  fs::copy_file(Binary("dl-submit"), copy);
  fs::permissions(copy, fs::perms(0755));
  auto child =
      Spawner::Real().Start({.argv = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                                      copy, "status", "--master", cluster.url()},
                             .env = {absl::StrCat("HOME=", folder.path())},
                             .out = ChildOutput::Discard(),
                             .err = ChildOutput::File(folder / "err")});
  DL_ASSERT_OK(child);
  const auto ended = (*child)->Wait(kLong);
  fs::remove(copy);
  DL_ASSERT_OK(ended);
  EXPECT_EQ(ended->code, kDenied) << Content(folder / "err");
  EXPECT_NE(Content(folder / "err").find("without a token"), std::string::npos);
  EXPECT_EQ(fs::status(cluster.data_dir()).permissions(), fs::perms(0700));
}

TEST_F(SecuredCluster, AnEncryptedJobHasTheSameBitsAndTokensStandNowhere) {
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
  const std::string id = done.result().value("job", "");
  EXPECT_EQ(cluster_.Job(id).value("owner", ""), "ada");

  // All that was written, and what each process shows of itself.
  const std::set<std::string> holders = {ada.file, data_dir_ + "/token",
                                         data_dir_ + "/executor-token"};
  std::vector<std::string> seen;
  for (const std::string& file : FilesEndingIn(folder_.path(), "")) {
    if (!holders.contains(file)) seen.push_back(file);
  }
  EXPECT_GT(seen.size(), 10u);
  for (const pid_t pid : {cluster_.MasterPid(), cluster_.ExecutorPid(0), cluster_.ExecutorPid(1)}) {
    for (const char* name : {"cmdline", "environ"})
      seen.push_back(absl::StrCat("/proc/", pid, "/", name));
  }
  for (const std::string& holder : holders) {
    const auto token = security::ReadTokenFile(holder);
    DL_ASSERT_OK(token);
    EXPECT_NE(Content(holder).find(token->secret), std::string::npos);
    for (const std::string& file : seen)
      EXPECT_EQ(Content(file).find(token->secret), std::string::npos) << file << " has " << holder;
    for (const Finished* said : {&done})
      EXPECT_EQ((said->text + said->errors).find(token->secret), std::string::npos);
  }
}

TEST_F(SecuredCluster, AJobIsItsOwners) {
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

// The others go on, to the same bits.
TEST_F(SecuredCluster, AnExecutorWhoseTokenIsRevokedLeaves) {
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
  EXPECT_EQ(cluster_.WaitForExecutorEnd(0), kDenied);
  EXPECT_NE(cluster_.ExecutorLog().find("does not let in"), std::string::npos)
      << cluster_.ExecutorLog();
  cluster_.UseExecutorFlags({"--token-file", data_dir_ + "/executor-token"});
  cluster_.StartExecutor();
  const Json result = cluster_.Wait(id);
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump();
  EXPECT_EQ(result.value("state_sha256", ""), expected);
}

// Keys and tokens outlive the master; another certificate of the same CA locks nobody out.
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
}

// Nothing says yet where the token will be.
TEST(SecurityTest, AnExecutorThatIsThereBeforeItsMasterFindsTheToken) {
  const TempFolder folder;
  StandingCluster cluster(folder);
  cluster.StartMaster();  // for a port
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

TEST(SecurityTest, ATokenFileThatOthersReadIsNotUsed) {
  const TempFolder folder;
  StandingCluster cluster(folder);
  cluster.StartMaster();
  const std::string copy = folder.Write("token", Content(cluster.data_dir() + "/token"));
  fs::permissions(copy, fs::perms(0644));
  const Finished refused = DlSubmit({"status", "--master", cluster.url(), "--token-file", copy});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_NE(refused.errors.find("chmod 600"), std::string::npos) << refused.errors;
  fs::permissions(copy, fs::perms(0600));
  EXPECT_EQ(DlSubmit({"status", "--master", cluster.url(), "--token-file", copy}).exit_code, 0);
}

}  // namespace
}  // namespace dl::test
