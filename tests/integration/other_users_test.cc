// Access of other users of the machine to a master, and data that is sent to a port where another
// user listens.
#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gtest/gtest.h"
#include "rpc/endpoint.h"
#include "tests/integration/bounds.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/exit_codes.h"
#include "tests/integration/listeners.h"
#include "tests/integration/other_user.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/folder_content.h"

namespace dl::test {
namespace {

namespace fs = std::filesystem;

class OtherUsersTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become other_user else";
    cluster_.StartMaster();
  }

  const TempFolder folder_;
  StandingCluster cluster_{folder_};
};

// The master's own user needs no arguments. Any other user of the machine is denied.
TEST_F(OtherUsersTest, OtherUserIsDenied) {
  const OtherUser other_user;
  EXPECT_EQ(DlSubmit({"status", "--master", cluster_.url()}).exit_code, 0);
  const Finished denied =
      DlSubmit({"status", "--master", cluster_.url()}, kLongCall, other_user.place());
  EXPECT_EQ(denied.exit_code, kDenied) << denied.errors;
  EXPECT_NE(denied.errors.find("requires a token"), std::string::npos) << denied.errors;
  EXPECT_EQ(fs::status(cluster_.data_dir()).permissions(), fs::perms(0700));
}

// A `run` on this machine also opens a port, for commands that query it while it computes.
class LocalClusterTest : public testing::TestWithParam<const char*> {};

TEST_P(LocalClusterTest, AnswersOnlyItsUserOnLoopback) {
  const TempFolder folder;
  const std::string data = folder / "data";
  const std::string job = WriteJob(folder, "job", MakeSample(folder, {.epochs = 5000}));
  ForegroundRun run(folder, {"run", "--master", GetParam(), "--data-dir", data, "--json", job});
  run.ReadUntilCheckpoints(1);  // the job continues for a long time
  const auto holder = ParseJson(Content(data + "/holder"), "holder");
  ASSERT_TRUE(holder.ok()) << holder.status();
  const std::string url = holder->value("master", "");
  const auto endpoint = rpc::ParseEndpoint(url);
  ASSERT_TRUE(endpoint.ok()) << endpoint.status();
  EXPECT_EQ(TheOne(ListeningOn(endpoint->port)), "0100007F");
  const Finished own = DlSubmit({"status", "--master", url});
  EXPECT_EQ(own.exit_code, 0) << own.errors;
  EXPECT_NE(own.text, "");
  if (geteuid() == 0) {
    const OtherUser other_user;
    for (const char* command : {"status", "list"}) {
      const Finished denied = DlSubmit({command, "--master", url}, kLongCall, other_user.place());
      EXPECT_EQ(denied.exit_code, kDenied) << command << denied.text << denied.errors;
      EXPECT_NE(denied.errors.find("requires a token"), std::string::npos) << denied.errors;
    }
  }
  run.Kill();
}

INSTANTIATE_TEST_SUITE_P(Masters, LocalClusterTest, testing::Values("local[1]", "local-cluster[1]"),
                         [](const auto& info) {
                           return std::string(info.param) == "local[1]" ? "Local" : "LocalCluster";
                         });

// Loopback has two addresses. At the other address, another user listens on the port of this user's
// master. The other master's audit log lists every token that it received.
TEST_F(OtherUsersTest, OtherListenerReceivesNoToken) {
  const OtherUser thief;
  StandingCluster theirs(folder_, thief.folder() + "/D");
  theirs.UseMasterPlace(thief.place(), "[::1]");
  theirs.UseMasterFlags({"--address", "::1"});
  theirs.UsePort(cluster_.port());
  theirs.StartMaster();
  const std::string token = cluster_.data_dir() + "/token";
  const auto denials = [&] {
    return Content(theirs.data_dir() + "/security/audit.log").find("denied") != std::string::npos;
  };
  // The token that is found for that port, and a token file that is named.
  const std::vector<std::vector<std::string>> ways = {{}, {"--token-file", token}};
  for (const std::vector<std::string>& more : ways) {
    std::vector<std::string> words = {"status", "--master", theirs.url()};
    words.insert(words.end(), more.begin(), more.end());
    const Finished refused = DlSubmit(words);
    EXPECT_EQ(refused.exit_code, kDenied) << refused.errors;
    EXPECT_NE(refused.errors.find("another user of this machine (65534)"), std::string::npos)
        << refused.errors;
  }
  theirs.UseExecutorFlags({"--token-file", token});
  theirs.StartExecutor();
  EXPECT_EQ(theirs.WaitForExecutorEnd(0), kDenied) << theirs.ExecutorLog();
  EXPECT_FALSE(denials());

  // A client that names the owner of the master may connect to it. A client with a token file of
  // that owner may connect, too.
  const Finished shown = DlSubmit({"status", "--master", theirs.url(), "--token-file", token,
                                   "--master-user", absl::StrCat(OtherUser::kUser)});
  EXPECT_EQ(shown.exit_code, kDenied);
  EXPECT_NE(shown.errors.find("the master rejects"), std::string::npos) << shown.errors;
  EXPECT_TRUE(denials());
  const Finished let_in =
      DlSubmit({"status", "--master", theirs.url(), "--token-file", theirs.data_dir() + "/token"});
  EXPECT_EQ(let_in.exit_code, 0) << "the file is its master's user's: " << let_in.errors;
  const Finished nobody = DlSubmit(
      {"status", "--master", theirs.url(), "--token-file", token, "--master-user", "no such user"});
  EXPECT_NE(nobody.errors.find("there is no user no such user"), std::string::npos)
      << nobody.errors;
}

// Folders that existed before and that all users may read: the files that the programs keep in them
// are private.
TEST_F(OtherUsersTest, OpenFolderHidesModelsAndData) {
  const OtherUser other_user;
  const std::string open = other_user.folder() + "/open", cache = other_user.folder() + "/cache";
  for (const std::string& path : {open, cache}) {
    fs::create_directories(path);
    fs::permissions(path, fs::perms(0755));
  }
  // With the permissions of earlier builds.
  for (const char* name : {"/meta", "/bulk", "/security", "/imports", "/logs"}) {
    fs::create_directory(open + name);
    fs::permissions(open + name, fs::perms(0755));
  }
  const std::string job = WriteJob(folder_, "job", MakeSample(folder_, {.epochs = 1}));
  const Finished done =
      DlSubmit({"run", job, "--master", "local-cluster[1]", "--data-dir", open, "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.errors;
  StandingCluster again(folder_, open);
  again.StartMaster();
  again.StartExecutor(cache);
  EXPECT_EQ(again.Wait(again.Submit(job)).value("state", ""), "SUCCEEDED");
  // LOCK and FORMAT of a cache contain no secrets.
  const std::vector<std::string> words = {
      "find", open,    cache,           "-type", "f",     "-readable",
      "-not", "-path", cache + "/LOCK", "-not",  "-path", cache + "/FORMAT"};
  const auto find = [&](std::vector<std::string> as) {
    as.insert(as.end(), words.begin(), words.end());
    auto child = Spawner::Real().Start(
        {.argv = as, .out = ChildOutput::Pipe(), .err = ChildOutput::Discard()});
    return child.ok() ? (*child)->ReadAll(kLongCall, 1 << 20).value_or("?") : "?";
  };
  const std::string user = absl::StrCat("--reuid=", OtherUser::kUser);
  EXPECT_EQ(find({"setpriv", user, "--clear-groups"}), "");
  EXPECT_NE(find({}).find("/bulk/"), std::string::npos) << "there is something to read";
  EXPECT_NE(find({}).find("cache/"), std::string::npos);
  // Folders that the user created keep their permissions.
  for (const std::string& path : {open, cache})
    EXPECT_EQ(fs::status(path).permissions(), fs::perms(0755)) << path;
}

}  // namespace
}  // namespace dl::test
