// Pages and REST of real processes: a master, a run, and a data folder without a master.
#include <atomic>
#include <csignal>
#include <filesystem>
#include <map>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/process.h"
#include "base/thread.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/daemons/data_folder.h"
#include "launch/pause.h"
#include "tests/integration/bounds.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/page_browser.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using PagesTest = WebProcesses;

// Expects that the program prints "ok" and ends with 0.
void ExpectOk(const StatusOr<std::unique_ptr<ChildProcess>>& program) {
  DL_ASSERT_OK(program);
  EXPECT_THAT((*program)->ReadAll(kTimeout, 1 << 20).value_or(""), StartsWith("ok "));
  const auto ended = (*program)->Wait(kTimeout);
  DL_ASSERT_OK(ended);
  EXPECT_EQ(ended->code, 0);
}

TEST_F(PagesTest, FolderShowsTheBytesOfItsMaster) {
  const std::string data = folder_ / "data";
  const Finished run =
      DlSubmit({"run", MakeJob(), "--master", "local[1]", "--data-dir", data, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const std::string job = run.result().value("job", "");
  const std::string metrics = absl::StrCat("/api/v1/jobs/", job, "/metrics");

  std::unique_ptr<ChildProcess> ui;
  const PageBrowser folder = Start(ui, {"ui", data, "--json"});
  const std::string read = folder.Get(metrics);
  EXPECT_THAT(read, HasSubstr("train/loss"));
  EXPECT_EQ(folder.GetJson("/api/v1/jobs/" + job).value("state", ""), "SUCCEEDED");
  EXPECT_THAT(folder.Send("POST", absl::StrCat("/api/v1/jobs/", job, "/cancel")),
              StartsWith("HTTP/1.1 404 "));

  // The folder is not held: a master uses it while it is shown.
  std::unique_ptr<ChildProcess> process;
  const PageBrowser master =
      Start(process, {"master", "--port", "0", "--http", "0", "--data-dir", data});
  EXPECT_EQ(master.Get(metrics), read);
  EXPECT_EQ(folder.Get(metrics), read);
  EXPECT_THAT(master.Get("/"), HasSubstr(job));
}

// Histograms are no part of the result, and every way to read them shows the same.
TEST_F(PagesTest, HistogramsOfACluster) {
  const std::string data = folder_ / "data", file = MakeJob();
  std::vector<std::string> states, jobs;
  for (const char* every :
       {"training.statistics.every_rounds=0", "training.statistics.every_rounds=1"}) {
    const Finished run = DlSubmit({"run", file, "--master", "local-cluster[2]", "--data-dir", data,
                                   "--json", "--set", every});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    states.push_back(run.result().value("state_sha256", ""));
    jobs.push_back(run.result().value("job", ""));
  }
  EXPECT_EQ(states[0], states[1]);
  EXPECT_FALSE(states[0].empty());

  std::unique_ptr<ChildProcess> ui;
  const PageBrowser browser = Start(ui, {"ui", data, "--json"});
  const std::string address = "/api/v1/jobs/" + jobs[1] + "/histograms";
  const Json answer = browser.GetJson(address + "?buckets=1&points=4");
  EXPECT_EQ(answer["every_rounds"], 1);
  std::map<std::string, int64_t> values;
  for (const Json& histogram : answer["histograms"]) {
    EXPECT_EQ(histogram["rounds"].front(), 1);
    EXPECT_EQ(histogram["rounds"].back(), answer["rounds"]);
    for (size_t i = 0; i < histogram["rounds"].size(); ++i) {
      int64_t counted = 0;
      for (const Json& bucket : histogram["buckets"][i]) counted += bucket[2].get<int64_t>();
      EXPECT_EQ(counted, histogram["values"][i]);
    }
    values[histogram["name"]] = histogram["values"].back();
  }
  const Json spec = browser.GetJson("/api/v1/jobs/" + jobs[1] + "/spec");
  for (const Json& layer : spec["model"]["layers"]) {
    const std::string name = "layer/" + layer.value("name", "");
    EXPECT_GT(values[name + "/parameters"], 0) << name;
    EXPECT_EQ(values[name + "/parameters"], values[name + "/changes"]) << name;
    EXPECT_EQ(values[name + "/activations"] % layer["units"].get<int64_t>(), 0) << name;
    EXPECT_GT(values[name + "/activations"], 0) << name;
  }
  const std::string page = browser.Get("/jobs/" + jobs[1] + "/model");
  EXPECT_THAT(page, HasSubstr(">Distributions</h2>"));
  for (const auto& [name, count] : values)
    EXPECT_THAT(page, HasSubstr("data-histogram=\"" + name + "\""));
  EXPECT_TRUE(browser.GetJson("/api/v1/jobs/" + jobs[0] + "/histograms")["histograms"].empty());
  EXPECT_THAT(browser.Get("/jobs/" + jobs[0] + "/model"), Not(HasSubstr("Distributions</h2>")));
}

// A master or a run that starts at this moment must not find the folder in use.
TEST_F(PagesTest, FolderIsNotHeldWhileItIsRead) {
  const std::string data = folder_ / "data";
  ASSERT_EQ(
      DlSubmit({"run", MakeJob(), "--master", "local[1]", "--data-dir", data, "--json"}).exit_code,
      0);
  std::atomic<bool> has_started = false;
  int looks = 0, held = 0;
  Thread looking("looking", [&] {
    for (; !has_started; ++looks) {
      if (launch::DataFolder::Holder(data)) ++held;
      launch::Pause(std::chrono::milliseconds(1));
    }
  });
  std::unique_ptr<ChildProcess> ui;
  Start(ui, {"ui", data, "--json"});
  has_started = true;
  looking.Join();
  EXPECT_GT(looks, 0);
  EXPECT_EQ(held, 0);
}

// The folder is deleted, and another folder is moved to its place.
TEST_F(PagesTest, ReplacedFolderIsShown) {
  const std::string data = folder_ / "data", other = folder_ / "other";
  for (const std::string& dir : {data, other, other}) {
    ASSERT_EQ(
        DlSubmit({"run", MakeJob(), "--master", "local[1]", "--data-dir", dir, "--json"}).exit_code,
        0);
  }
  std::unique_ptr<ChildProcess> ui;
  const PageBrowser browser = Start(ui, {"ui", data, "--json"});
  EXPECT_EQ(browser.GetJson("/api/v1/jobs")["jobs"].size(), 1);
  std::filesystem::remove_all(data);
  launch::Pause(std::chrono::milliseconds(2500));  // the view looks every second
  ASSERT_FALSE(std::filesystem::exists(data)) << "a view writes nothing";
  for (const char* target : {"/api/v1/jobs", "/", "/readyz"}) {
    const std::string gone = browser.Send("GET", target);
    EXPECT_THAT(gone, StartsWith("HTTP/1.1 503 ")) << target;
    EXPECT_THAT(gone, HasSubstr("the data folder was deleted or moved")) << target;
  }
  std::filesystem::rename(other, data);
  const Instant end = Clock::Real().Now() + kTimeout;
  while (browser.GetJson("/api/v1/jobs")["jobs"].size() != 2 && Clock::Real().Now() < end)
    launch::Pause(std::chrono::milliseconds(100));
  EXPECT_EQ(browser.GetJson("/api/v1/jobs")["jobs"].size(), 2);
}

TEST_F(PagesTest, FolderShowsARunAndItsInterruption) {
  const std::string data = folder_ / "data";
  const std::string file = MakeJob();
  ASSERT_EQ(DlSubmit({"run", file, "--master", "local[1]", "--data-dir", data, "--json"}).exit_code,
            0);
  std::unique_ptr<ChildProcess> ui;
  const PageBrowser folder = Start(ui, {"ui", data, "--json"});
  const auto wait_for = [&](const std::string& state) {
    const Instant end = Clock::Real().Now() + kTimeout;
    while (folder.GetJson("/api/v1/jobs")["jobs"][0].value("state", "") != state &&
           Clock::Real().Now() < end) {
    }
    return folder.GetJson("/api/v1/jobs")["jobs"][0];
  };
  auto run = Spawner::Real().Start(
      {.argv = {SubmitProgram(), "run", file, "--master", "local[1]", "--data-dir", data, "--json",
                "--set", "training.epochs=100000"},
       .out = ChildOutput::Discard(),
       .err = ChildOutput::Discard()});
  DL_ASSERT_OK(run);
  EXPECT_EQ(wait_for("RUNNING").value("state", ""), "RUNNING");
  DL_ASSERT_OK((*run)->Signal(SIGKILL));
  const Json interrupted = wait_for("INTERRUPTED");
  EXPECT_EQ(interrupted.value("state", ""), "INTERRUPTED");
  EXPECT_EQ(interrupted.value("reason", ""), "no_process");
  const std::string id = interrupted.value("job", "");
  EXPECT_EQ(folder.GetJson(absl::StrCat("/api/v1/jobs/", id, "/result")).value("state", ""),
            "INTERRUPTED");
  const std::string page = folder.Get("/jobs/" + id);
  EXPECT_THAT(page, HasSubstr(">Interrupted<"));
  EXPECT_THAT(page, HasSubstr("No process computes it"));
  EXPECT_THAT(page, Not(HasSubstr("data-job-live"))) << "the page waits for no events";
}

TEST_F(PagesTest, ButtonOfAPageCancelsARun) {
  auto run = Spawner::Real().Start(
      {.argv = {"sh", "-c", "exec \"$0\" \"$@\" 2>&1", SubmitProgram(), "run", MakeJob(),
                "--master", "local-cluster[1]", "--data-dir", folder_ / "data", "--http", "0",
                "--set", "training.epochs=100000"},
       .out = ChildOutput::Pipe()});
  DL_ASSERT_OK(run);
  std::string page;
  while (page.empty()) {
    auto line = (*run)->ReadLine(kTimeout);
    DL_ASSERT_OK(line);
    if (line->starts_with("pages: ")) page = line->substr(7);
  }
  const PageBrowser browser(page);
  Json jobs = Json::array();
  while (jobs.empty()) jobs = browser.GetJson("/api/v1/jobs")["jobs"];
  const std::string job = jobs[0].value("job", "");
  EXPECT_THAT(browser.Send("POST", absl::StrCat("/api/v1/jobs/", job, "/cancel")),
              StartsWith("HTTP/1.1 200 "));
  const auto ended = (*run)->Wait(kTimeout);
  DL_ASSERT_OK(ended);
  EXPECT_EQ(ended->code, 3);  // cancelled
}

TEST_F(PagesTest, CommandsShowTheNumbersOfPages) {
  const std::string data = folder_ / "data", file = MakeJob();
  for (const char* epochs : {"training.epochs=4", "training.epochs=5"}) {
    const Finished run = DlSubmit(
        {"run", file, "--master", "local[1]", "--data-dir", data, "--json", "--set", epochs});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
  }
  std::unique_ptr<ChildProcess> ui;
  const PageBrowser browser = Start(ui, {"ui", data, "--json"});
  const Finished explained = DlSubmit({"explain", "mlp-2", "--data-dir", data});
  const Json document = Json::parse(explained.text);
  EXPECT_GT(document["findings"].size(), 0);
  EXPECT_EQ(document["findings"], browser.GetJson("/api/v1/jobs/mlp-2/diagnosis")["findings"]);
  const Json compared =
      DlSubmit({"compare", "mlp-1", "mlp-2", "--data-dir", data, "--json"}).lines.at(0);
  const std::string page = browser.Get("/compare?job=mlp-1&job=mlp-2");
  ASSERT_EQ(compared["settings"].size(), 1);
  EXPECT_THAT(page, HasSubstr("<code>training.epochs</code></th><td><code>4</code></td><td>"
                              "<code>5</code></td>"));
  EXPECT_THAT(
      page, HasSubstr(absl::StrCat(compared["same"].get<int64_t>(), " other settings are equal")));
  for (const Json& job : compared["jobs"]) {
    const std::string accuracy = job["metrics"]["test"]["accuracy"].dump();
    EXPECT_THAT(page, HasSubstr("data-value=\"" + accuracy.substr(0, 6)));
    EXPECT_EQ(browser.GetJson("/api/v1/jobs/" + job.value("job", ""))["metrics"], job["metrics"]);
  }
}

TEST_F(PagesTest, PythonClientSubmitsAndReads) {
  const std::string data = folder_ / "data";
  const Finished run = DlSubmit({"run", MakeJob(), "--master", "local[1]", "--data-dir", data,
                                 "--json", "--set", "training.statistics.every_rounds=1"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  std::unique_ptr<ChildProcess> master;
  Start(master, {"master", "--port", "0", "--http", "0", "--data-dir", data});
  const auto executor = StartExecutor(data + "/token");
  ExpectPython("python_wait.py", {});
  ExpectPython("python_client.py", {Address(), data + "/token", run.result().value("job", "")});
}

TEST_F(PagesTest, NoRequestOfTheDescriptionIsAnErrorOfTheServer) {
  const std::string data = folder_ / "data";
  const Finished run =
      DlSubmit({"run", MakeJob(), "--master", "local[1]", "--data-dir", data, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  std::unique_ptr<ChildProcess> master;
  Start(master, {"master", "--port", "0", "--http", "0", "--data-dir", data});
  const std::string page = ready_.value("page", "");
  const auto fuzz = Spawner::Real().Start(
      {.argv = {"python3", "-B", std::string(DL_SOURCE_ROOT) + "/tests/integration/fuzz_rest.py",
                page.substr(0, page.find("/login")), data + "/token", run.result().value("job", ""),
                absl::StrCat(run.result().value("rounds", 0))},
       .out = ChildOutput::Pipe()});
  ExpectOk(fuzz);
}

TEST_F(PagesTest, NotebookPrintsItsRecordedOutput) {
  const std::string folder = std::string(DL_SOURCE_ROOT) + "/";
  const auto notebook = Spawner::Real().Start(
      {.argv = {"python3", "-B", folder + "tests/integration/run_notebook.py",
                folder + "clients/python/example.ipynb"},
       .env = {"PYTHONPATH=" + folder + "clients/python", "TMPDIR=" + folder_.path(),
               absl::StrCat("PATH=", std::getenv("DL_BIN"), ":", std::getenv("PATH"))},
       .out = ChildOutput::Pipe()});
  ExpectOk(notebook);
}

TEST_F(PagesTest, PagesAreRefusedWhereThereAreNone) {
  const Finished standing =
      DlSubmit({"run", MakeJob(), "--master", "dl://127.0.0.1:7", "--http", "0", "--json"});
  EXPECT_EQ(standing.exit_code, 2);
  EXPECT_THAT(standing.text, HasSubstr("--http"));
  const Finished empty = DlSubmit({"ui", folder_ / "nothing"});
  EXPECT_EQ(empty.exit_code, 4);
  EXPECT_THAT(empty.errors, HasSubstr("has no jobs"));
}

}  // namespace
}  // namespace dl::test
