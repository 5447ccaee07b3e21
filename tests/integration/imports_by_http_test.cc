// Files that clients send by REST and the master imports.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/page_browser.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class ImportsByHttpTest : public WebProcesses {
 protected:
  std::string Data() const { return folder_ / "data"; }
  PageBrowser StartMaster(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"master", "--port", "0", "--http", "0", "--data-dir", Data()};
    words.insert(words.end(), more.begin(), more.end());
    return Start(master_, std::move(words));
  }
  std::string TokenFile(const std::string& role, const std::string& owner) {
    std::string file = folder_ / absl::StrCat(role, "-", owner);
    const Finished made = DlSubmit({"cluster", "token", "create", "--role", role, "--owner", owner,
                                    "--data-dir", Data(), "-o", file});
    EXPECT_EQ(made.exit_code, 0) << made.errors;
    return file;
  }
  // Returns the number of files of clients in the data folder.
  int64_t Uploads() const {
    std::error_code error;
    int64_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(Data() + "/uploads", error))
      files += entry.is_regular_file(error) ? 1 : 0;
    return files;
  }
  // Returns the processes that import for the master of this folder, or stopped doing so.
  std::vector<pid_t> Importing() const {
    std::vector<pid_t> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::ifstream file(entry.path() / "cmdline");
      const std::string line((std::istreambuf_iterator<char>(file)), {});
      if (line.find(std::string("import") + '\0' + Data() + "/uploads/") != std::string::npos)
        found.push_back(std::stoi(name));
    }
    return found;
  }
  template <typename Condition>
  static void AwaitThat(const char* what, Condition condition) {
    Mutex mutex;
    CondVar never;  // other processes do not report when they are done
    const Instant end = Clock::Real().Now() + kTimeout;
    while (!condition()) {
      if (Clock::Real().Now() > end) FAIL() << "not reached: " << what;
      MutexLock lock(mutex);
      never.WaitFor(mutex, std::chrono::milliseconds(2));
    }
  }
  void KillMaster() {
    DL_ASSERT_OK(master_->Signal(SIGKILL));
    DL_ASSERT_OK(master_->Wait(kTimeout));
  }
  // Sends a table whose import is stopped in its middle, and returns the process of the import.
  pid_t SendAndStopImport(const PageBrowser& browser) {
    std::string table = "a,b,y\n";
    for (int i = 0; i < 400'000; ++i)
      absl::StrAppend(&table, i % 97, ",", i % 89, ",c", i % 3, "\n");
    const std::string answer = browser.Send("POST", "/api/v1/imports?file=t.csv&label=y", table);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 202 "));
    AwaitThat("the import runs", [&] { return !Importing().empty(); });
    const pid_t process = Importing().at(0);
    EXPECT_EQ(kill(process, SIGSTOP), 0);
    return process;
  }

  std::unique_ptr<ChildProcess> master_;
};

TEST_F(ImportsByHttpTest, JobOnAFileHasTheDataOfDlSubmitImport) {
  StartMaster({"--max-upload", "4M"});
  const auto executor = StartExecutor(Data() + "/token");
  ExpectPython("import_client.py",
               {Address(), Data(), TokenFile("submit", "ann"), TokenFile("submit", "bob"),
                TokenFile("read", "eve"), folder_.path(), SubmitProgram()});
  AwaitThat("the files are deleted", [&] { return Uploads() == 0; });
}

TEST_F(ImportsByHttpTest, KillOfTheMasterDuringAnUploadLeavesNoFile) {
  const PageBrowser browser = StartMaster();
  RawHttpClient client(browser.port());
  std::string request =
      browser.RequestFor("POST", "/api/v1/imports?file=t.csv", std::string(3'000'000, '1'));
  client.Send(std::string_view(request).substr(0, 2'000'000));
  AwaitThat("a file is written", [&] { return Uploads() == 1; });
  KillMaster();
  EXPECT_EQ(Uploads(), 1);
  const PageBrowser again = StartMaster();
  EXPECT_EQ(Uploads(), 0);
  EXPECT_EQ(again.GetJson("/api/v1/imports"), Json::parse(R"({"imports":[]})"));
}

TEST_F(ImportsByHttpTest, KillOfTheMasterDuringAnImportLeavesNoFileAndNoProcess) {
  const PageBrowser browser = StartMaster();
  SendAndStopImport(browser);
  KillMaster();
  AwaitThat("the import ends with its master", [&] { return Importing().empty(); });
  EXPECT_GE(Uploads(), 1);
  const PageBrowser again = StartMaster();
  EXPECT_EQ(Uploads(), 0);
  EXPECT_EQ(again.GetJson("/api/v1/imports"), Json::parse(R"({"imports":[]})"));
  EXPECT_THAT(again.Send("POST", "/api/v1/imports?file=t.csv", "a,y\n1,b\n2,c\n"),
              StartsWith("HTTP/1.1 202 "));
}

TEST_F(ImportsByHttpTest, KillOfTheMasterWhileAnArchiveIsUnpackedLeavesNoFile) {
  const PageBrowser browser = StartMaster();
  std::vector<std::pair<std::string, std::string>> entries;
  for (int i = 0; i < 60'000; ++i) entries.emplace_back(absl::StrCat("cat/", i, ".png"), "x");
  EXPECT_THAT(browser.Send("POST", "/api/v1/imports?file=a.zip&image_size=8x8", Zip(entries)),
              StartsWith("HTTP/1.1 202 "));
  AwaitThat("files are unpacked", [&] { return Uploads() > 1; });
  for (const pid_t process : Importing()) EXPECT_EQ(kill(process, SIGSTOP), 0);
  EXPECT_LT(Uploads(), std::ssize(entries)) << "the work was not stopped in its middle";
  KillMaster();
  AwaitThat("the import ends with its master", [&] { return Importing().empty(); });
  EXPECT_GT(Uploads(), 1);
  const PageBrowser again = StartMaster();
  EXPECT_EQ(Uploads(), 0);
}

TEST_F(ImportsByHttpTest, BrokenUploadFreesTheTokenAndLeavesNoFile) {
  const PageBrowser browser = StartMaster();
  const std::string request =
      browser.RequestFor("POST", "/api/v1/imports?file=t.csv", std::string(3'000'000, '1'));
  {
    RawHttpClient client(browser.port());
    client.Send(std::string_view(request).substr(0, 2'000'000));
    AwaitThat("a file is written", [&] { return Uploads() == 1; });
    EXPECT_THAT(browser.Send("POST", "/api/v1/imports?file=t.csv", "a\n1\n"),
                StartsWith("HTTP/1.1 429 "));
  }
  AwaitThat("the file is deleted", [&] { return Uploads() == 0; });
  EXPECT_THAT(browser.Send("POST", "/api/v1/imports?file=t.csv", "a,y\n1,b\n2,c\n"),
              StartsWith("HTTP/1.1 202 "));
}

// A local run takes files while it computes.
TEST_F(ImportsByHttpTest, LocalTargetsTakeFiles) {
  const std::string file = MakeJob();
  for (const char* target : {"local[1]", "local-cluster[1]"}) {
    const std::string log = folder_ / absl::StrCat(target, ".log");
    auto run = Spawner::Real().Start(
        {.argv = {SubmitProgram(), "run", file, "--master", target, "--data-dir", Data(), "--http",
                  "0", "--set", "training.epochs=100000"},
         .out = ChildOutput::Discard(),
         .err = ChildOutput::File(log)});
    DL_ASSERT_OK(run);
    std::string page;
    AwaitThat("the address is printed", [&] {
      const std::string text = ReadFile(log, 1 << 20).value_or("");
      const size_t begin = text.find("pages: ");
      const size_t end = text.find('\n', begin);
      if (begin != std::string::npos && end != std::string::npos)
        page = text.substr(begin + 7, end - begin - 7);
      return !page.empty();
    });
    const PageBrowser browser(page);
    std::string job;
    AwaitThat("the job runs", [&] {
      const Json jobs = browser.GetJson("/api/v1/jobs?state=running")["jobs"];
      for (const Json& one : jobs) {
        if (one.value("job", "").starts_with("mlp-")) job = one.value("job", "");
      }
      return !job.empty();
    });
    EXPECT_THAT(
        browser.Send("POST", "/api/v1/imports?file=t.csv&label=y", "a,y\n1,u\n2,v\n3,u\n4,v\n"),
        StartsWith("HTTP/1.1 202 "));
    Json import;
    AwaitThat("the import ends", [&] {
      import = browser.GetJson("/api/v1/imports")["imports"][0];
      return import["state"] == "SUCCEEDED" || import["state"] == "FAILED";
    });
    EXPECT_EQ(import["state"], "SUCCEEDED") << target << ": " << import;
    const Json spec = {
        {"name", "t"},
        {"model",
         {{"input", {{"type", "feed_forward"}, {"features", 1}}},
          {"layers", {{{"type", "output"}, {"units", 2}, {"loss", "softmax_cross_entropy"}}}}}}};
    EXPECT_THAT(browser.Send("POST", "/api/v1/jobs",
                             JsonText({{"import", import["import"]}, {"spec", spec}})),
                StartsWith("HTTP/1.1 201 "))
        << target;
    AwaitThat("the file is deleted", [&] { return Uploads() == 0; });
    EXPECT_THAT(browser.Send("POST", absl::StrCat("/api/v1/jobs/", job, "/cancel")),
                StartsWith("HTTP/1.1 200 "));
    const auto ended = (*run)->Wait(kTimeout);
    DL_ASSERT_OK(ended);
    EXPECT_EQ(ended->code, 3) << target;  // cancelled
    std::error_code error;
    EXPECT_FALSE(fs::exists(Data() + "/uploads", error)) << target;
  }
}

TEST_F(ImportsByHttpTest, DeletedImportEndsItsProcess) {
  const PageBrowser browser = StartMaster();
  SendAndStopImport(browser);
  const std::string id = browser.GetJson("/api/v1/imports")["imports"][0].value("import", "");
  EXPECT_THAT(browser.Send("POST", "/api/v1/imports?file=t.csv", "a\n1\n"), HasSubstr("429"));
  EXPECT_THAT(browser.Send("DELETE", "/api/v1/imports/" + id), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(browser.Send("GET", "/api/v1/imports/" + id), StartsWith("HTTP/1.1 404 "));
  AwaitThat("the process ends", [&] { return Importing().empty(); });
  AwaitThat("the file is deleted", [&] { return Uploads() == 0; });
}

TEST_F(ImportsByHttpTest, EndOfTheMasterEndsAnImport) {
  const PageBrowser browser = StartMaster();
  SendAndStopImport(browser);
  DL_ASSERT_OK(master_->Signal(SIGTERM));
  const auto ended = master_->Wait(kTimeout);
  DL_ASSERT_OK(ended);
  EXPECT_EQ(*ended, ExitStatus{});
  EXPECT_TRUE(Importing().empty());
  EXPECT_EQ(Uploads(), 0);
}

}  // namespace
}  // namespace dl::test
