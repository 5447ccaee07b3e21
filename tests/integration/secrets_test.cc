// Tokens must not appear in files, processes or answers.
#include <csignal>
#include <filesystem>
#include <set>

#include "absl/strings/str_cat.h"
#include "launch/host_name.h"
#include "security/secret_file.h"
#include "tests/integration/bounds.h"
#include "tests/integration/sample_jobs.h"
#include "tests/integration/secured_cluster.h"
#include "tests/support/folder_content.h"
#include "tests/support/status_matchers.h"

namespace dl::test {
namespace {

class SecretsTest : public SecuredCluster {
 protected:
  void TearDown() override { (void)There({"daemons", "stop", "node1"}); }

  // Runs dl-submit on the machine that `cluster start` reaches by its ssh. It is this machine with
  // another state folder.
  Finished There(const std::vector<std::string>& words) const {
    return DlSubmit(words, kLongCall, {"env", "DL_DATA_DIR=" + folder_ / "there"});
  }
  // Runs `cluster start` for one executor, with a fake ssh that only runs the command.
  Finished StartByCluster(const std::string& token_file) const {
    const std::string ssh =
        folder_.Write("ssh", "while [ \"$1\" != -- ]; do shift; done; exec sh -c \"$3\"\n");
    return There({"cluster", "start", "--hosts", folder_.Write("hosts", "node1\n"), "--ssh",
                  "sh " + ssh, "--program", std::filesystem::absolute(Binary("dl-submit")).string(),
                  "--master", cluster_.url(), "--token-file", token_file, "--json"});
  }
  static std::string Shown(pid_t pid) {
    return Content(absl::StrCat("/proc/", pid, "/cmdline")) +
           Content(absl::StrCat("/proc/", pid, "/environ"));
  }
};

TEST_F(SecretsTest, TokensAreNeverLogged) {
  const std::string job = WriteJob(folder_, "job", MakeSample(folder_, {.epochs = 3}));
  const Given ada = Give("submit", "ada");
  std::string said, shown;
  const auto keep = [&](const Finished& finished) {
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    EXPECT_NE(finished.text, "");
    said += finished.text + finished.errors;
    return finished;
  };
  const std::string id = keep(As(ada, {"submit", job, "-d", "--json"})).result().value("job", "");
  // An executor crashes and leaves a note.
  {
    const ScopedFailPoints armed("executor.compute=abort@1");
    cluster_.StartExecutor(folder_ / "crashed");
  }
  EXPECT_EQ(cluster_.WaitForExecutorEnd(0), 128 + SIGABRT);
  EXPECT_NE(Content(folder_ / "crashed/crash-note"), "");
  // A client follows the job. Other users can see its command, which names a token file.
  auto follower = Spawner::Real().Start({.argv = {Binary("dl-submit"), "attach", id, "--master",
                                                  cluster_.url(), "--token-file", ada.file},
                                         .out = ChildOutput::File(folder_ / "followed"),
                                         .err = ChildOutput::File(folder_ / "followed-errors")});
  DL_ASSERT_OK(follower);
  shown += Shown((*follower)->pid());
  EXPECT_NE(shown.find(ada.file), std::string::npos);

  const Finished started = keep(StartByCluster(data_dir_ + "/executor-token"));
  const Finished daemons = keep(There({"daemons", "--json"}));
  shown += Shown(static_cast<pid_t>(daemons.result().value("pid", 0)));
  EXPECT_NE(shown.find("node1"), std::string::npos);
  shown += Shown(cluster_.MasterPid());
  const auto ended = (*follower)->Wait(kLongCall);
  DL_ASSERT_OK(ended);
  EXPECT_EQ(ended->code, 0) << Content(folder_ / "followed-errors");

  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"status"},
                                             {"status", "--json"},
                                             {"status", id},
                                             {"status", id, "--json"},
                                             {"logs", id},
                                             {"logs", id, "--json"},
                                             {"list"},
                                             {"inspect", id, "--json"}}) {
    keep(As(ada, words));
  }
  keep(DlSubmit({"cluster", "token", "list", "--data-dir", data_dir_, "--json"}));
  keep(DlSubmit({"cluster", "status", "--master", cluster_.url(), "--token-file",
                 data_dir_ + "/token", "--json"}));

  const std::set<std::string> holders = {
      ada.file, data_dir_ + "/token", data_dir_ + "/executor-token",
      folder_ / "there/daemons/" + launch::HostName() + "/node1/token"};
  std::vector<std::string> files;
  for (const std::string& file : FilesEndingIn(folder_.path(), "")) {
    if (!holders.contains(file)) files.push_back(file);
  }
  EXPECT_GT(files.size(), 10u);
  for (const std::string& holder : holders) {
    const auto token = security::ReadTokenFile(holder);
    DL_ASSERT_OK(token);
    EXPECT_NE(Content(holder).find(token->secret), std::string::npos);
    for (const std::string& file : files)
      EXPECT_EQ(Content(file).find(token->secret), std::string::npos) << file << " has " << holder;
    EXPECT_EQ(said.find(token->secret), std::string::npos) << holder;
    EXPECT_EQ(shown.find(token->secret), std::string::npos) << holder;
  }
}

}  // namespace
}  // namespace dl::test
