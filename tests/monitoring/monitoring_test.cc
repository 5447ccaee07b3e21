// The dashboard and the alert rules in deploy/monitoring fit the figures of a real cluster.
#include <csignal>
#include <filesystem>
#include <regex>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/bounds.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/raw_http_client.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::test {
namespace {

using testing::HasSubstr;
using testing::IsSupersetOf;

using Names = std::set<std::string>;

std::string MonitoringFile(const std::string& name) {
  return ReadFile(absl::StrCat(DL_MONITORING "/", name), 1 << 20).value_or("");
}

// Returns all names of metrics in the text.
Names MetricsIn(const std::string& text) {
  static const std::regex kMetric("\\bparavane_[a-z_]+");
  return {std::sregex_token_iterator(text.begin(), text.end(), kMetric),
          std::sregex_token_iterator()};
}

Json Dashboard() {
  auto json = ParseJson(MonitoringFile("grafana_dashboard.json"), "grafana_dashboard.json");
  EXPECT_THAT(json, IsOk());
  return json.value_or(Json::object());
}

// Returns the expressions of all panels. Grafana's variables have values as Grafana inserts them.
std::vector<std::string> Expressions() {
  std::vector<std::string> expressions;
  const Json dashboard = Dashboard();
  for (const Json& panel : dashboard.at("panels")) {
    for (const Json& target : panel.at("targets")) {
      expressions.push_back(absl::StrReplaceAll(
          target.at("expr").get<std::string>(),
          {{"$instance", ".*"}, {"$job_id", "a-1|b-2"}, {"$__rate_interval", "1m"}}));
    }
  }
  return expressions;
}

struct Checked {
  int code = -1;
  std::string text;  // standard output and standard error
};

// Runs `promtool WORDS` with the file as standard input.
Checked Promtool(std::vector<std::string> words, const std::string& in = "") {
  words.insert(words.begin(), {"sh", "-c", "exec promtool \"$@\" 2>&1", "sh"});
  auto child =
      Spawner::Real().Start({.argv = std::move(words), .out = ChildOutput::Pipe(), .in = in});
  EXPECT_THAT(child, IsOk());
  Checked checked;
  checked.text = (*child)->ReadAll(kTimeout, 1 << 20).value_or("");
  const auto ended = (*child)->Wait(kTimeout);
  EXPECT_THAT(ended, IsOk());
  if (ended.ok()) checked.code = ended->code;
  return checked;
}

std::string WhyNoPromtool() {
  return Promtool({"--version"}).code == 0 ? "" : "no promtool (package prometheus) is installed";
}

// Reads /metrics of a cluster that trains an endless job, until it has all of `wanted`.
class ScrapedCluster {
 public:
  explicit ScrapedCluster(const Names& wanted) {
    const std::string file =
        WriteJob(folder_, "job.json", MakeSample(folder_, {.job = SampleJob::kMlpAverage}));
    auto run = Spawner::Real().Start(
        {.argv = {"sh", "-c", "exec \"$0\" \"$@\" 2>&1", Binary("dl-submit"), "run", file,
                  "--master", "local-cluster[1]", "--data-dir", folder_ / "data", "--http", "0",
                  "--set", "training.epochs=100000"},
         .out = ChildOutput::Pipe()});
    EXPECT_THAT(run, IsOk());
    run_ = *std::move(run);
    std::string page;
    while (page.empty()) {
      const auto line = run_->ReadLine(kTimeout);
      if (!line.ok()) {
        ADD_FAILURE() << line.status();
        return;
      }
      if (line->starts_with("pages: ")) page = line->substr(7);
    }
    const std::string host = page.substr(7, page.find('/', 7) - 7);
    const auto token = ReadFile(folder_ / "data/token", 1 << 10);
    EXPECT_THAT(token, IsOk());
    const Instant end = Clock::Real().Now() + kTimeout;
    do {
      text_ = Scrape(host, token.value_or(""));
    } while (!std::ranges::includes(MetricsIn(text_), wanted) && Clock::Real().Now() < end);
  }
  const std::string& text() const { return text_; }

 private:
  static std::string Scrape(const std::string& host, std::string token) {
    while (!token.empty() && token.back() == '\n') token.pop_back();
    RawHttpClient client(std::atoi(host.substr(host.find(':') + 1).c_str()));
    client.Send(absl::StrCat("GET /metrics HTTP/1.1\r\nHost: ", host, "\r\nAuthorization: Bearer ",
                             token, "\r\n\r\n"));
    const std::string response = client.ReadResponse();
    EXPECT_THAT(response, HasSubstr(" 200 "));
    return response.substr(response.find("\r\n\r\n") + 4);
  }

  const TempFolder folder_;
  std::unique_ptr<ChildProcess> run_;
  std::string text_;
};

TEST(Monitoring, EveryNamedMetricIsScraped) {
  Names wanted = MetricsIn(MonitoringFile("grafana_dashboard.json"));
  wanted.merge(MetricsIn(MonitoringFile("alert_rules.yml")));
  ASSERT_GE(wanted.size(), 15);
  const ScrapedCluster cluster(wanted);
  EXPECT_THAT(MetricsIn(cluster.text()), IsSupersetOf(wanted));
  if (const std::string why = WhyNoPromtool(); !why.empty()) GTEST_SKIP() << why;
  const Checked checked = Promtool({"check", "metrics"}, cluster.text());
  EXPECT_EQ(checked.code, 0) << checked.text;
  EXPECT_EQ(checked.text, "");
}

TEST(Monitoring, AlertRulesFireForTheirConditionOnly) {
  if (const std::string why = WhyNoPromtool(); !why.empty()) GTEST_SKIP() << why;
  const Checked rules = Promtool({"check", "rules", DL_MONITORING "/alert_rules.yml"});
  EXPECT_EQ(rules.code, 0) << rules.text;
  EXPECT_THAT(rules.text, HasSubstr("4 rules found"));
  const std::string tests = ReadFile(DL_RULES_TEST, 1 << 20).value_or("");
  for (const char* name : {"ParavaneJobStalled", "ParavaneExecutorLost", "ParavaneDiskNearlyFull",
                           "ParavaneNoProgress"}) {
    EXPECT_THAT(MonitoringFile("alert_rules.yml"), HasSubstr(std::string("alert: ") + name));
    EXPECT_THAT(tests, HasSubstr(std::string("alertname: ") + name));
  }
  const TempFolder folder;  // the test file names the rules without a folder
  folder.Write("alert_rules.yml", MonitoringFile("alert_rules.yml"));
  const std::string file = folder.Write("alert_rules_test.yml", tests);
  const Checked tested = Promtool({"test", "rules", file});
  EXPECT_EQ(tested.code, 0) << tested.text;
}

TEST(Monitoring, ExpressionsOfPanelsAreValid) {
  if (const std::string why = WhyNoPromtool(); !why.empty()) GTEST_SKIP() << why;
  std::string rules = "groups:\n  - name: panels\n    rules:\n";
  int count = 0;
  for (const std::string& expression : Expressions()) {
    absl::StrAppend(&rules, "      - record: panel:", ++count, "\n        expr: '",
                    absl::StrReplaceAll(expression, {{"'", "''"}}), "'\n");
  }
  const TempFolder folder;
  const Checked checked = Promtool({"check", "rules", folder.Write("panels.yml", rules)});
  EXPECT_EQ(checked.code, 0) << checked.text;
  EXPECT_THAT(checked.text, HasSubstr(absl::StrCat(count, " rules found")));
}

// Grafana accepts a dashboard with two panels at one place, or with one number twice, and shows it
// wrongly.
TEST(Monitoring, PanelsHaveTheirOwnNumberAndPlace) {
  const Json dashboard = Dashboard();
  std::set<int> ids;
  std::set<std::pair<int, int>> taken;
  for (const Json& panel : dashboard.at("panels")) {
    EXPECT_TRUE(ids.insert(panel.at("id").get<int>()).second) << panel.at("title");
    const Json& place = panel.at("gridPos");
    const int left = place.at("x").get<int>(), top = place.at("y").get<int>();
    const int right = left + place.at("w").get<int>(), bottom = top + place.at("h").get<int>();
    EXPECT_LE(right, 24) << panel.at("title");
    for (int x = left; x < right; ++x) {
      for (int y = top; y < bottom; ++y)
        EXPECT_TRUE(taken.emplace(x, y).second) << panel.at("title") << " covers another panel";
    }
    EXPECT_EQ(panel.at("datasource").at("uid"), "${datasource}");
    EXPECT_FALSE(panel.at("description").get<std::string>().empty());
    std::set<std::string> references;
    for (const Json& target : panel.at("targets"))
      EXPECT_TRUE(references.insert(target.at("refId").get<std::string>()).second);
  }
  std::set<std::string> variables;
  for (const Json& variable : dashboard.at("templating").at("list"))
    variables.insert(variable.at("name").get<std::string>());
  EXPECT_EQ(variables, (std::set<std::string>{"datasource", "instance", "job_id"}));
}

}  // namespace
}  // namespace dl::test
