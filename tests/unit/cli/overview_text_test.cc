// The output of status and list for jobs and executors. It fits into 80 columns.
#include "cli/output/overview_text.h"

#include "absl/strings/str_split.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kContract[] = "native/1;onednn=2.6.3;isa=avx512;l1d=32768;l2=1048576;l3=1441792";

void ExpectFitsTerminal(const std::string& text) {
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(text, '\n')))
    EXPECT_LE(line.size(), 80) << line;
}

// The status of the job in the README's tour after its end, as a master returns it.
Json Demo() {
  return {{"job", "lenet5-fashion-1"},
          {"state", "SUCCEEDED"},
          {"reason", "all_epochs_done"},
          {"message", ""},
          {"epochs", 5},
          {"epochs_total", 5},
          {"rounds", 150},
          {"rounds_total", 150},
          {"metrics", {{"test", {{"accuracy", 0.8912}}}}},
          {"wall_seconds", 42.4},
          {"owner", "somebody"},
          {"state_sha256", std::string(64, 'a')},
          {"checkpoint", "lenet5-fashion-1@150"},
          {"kernel_contract", kContract},
          {"attempt", 1},
          {"workers", 4},
          {"examples_per_second", 123456.7},
          {"traffic",
           {{"bytes_per_round", 1 << 20},
            {"fetched_bytes", int64_t{12'345'678} << 10},
            {"contributed_bytes", int64_t{12'345'678} << 10}}},
          {"excluded", Json::array()},
          {"excluded_for_memory", Json::array()},
          {"excluded_for_labels", Json::array()},
          {"unit_memory_bytes", 100 << 20},
          {"units", Json::array()}};
}

Json Executor(const std::string& name) {
  return {{"executor", name},
          {"slots", 16},
          {"seconds_since_heartbeat", 0.4},
          {"offers",
           {{{"kernel_contract", kContract}, {"isa", "avx512"}},
            {{"kernel_contract", "native/1;onednn=2.6.3;isa=avx2;l2=1048576;l3=1441792"},
             {"isa", "avx2"}},
            {{"kernel_contract", "portable/1"}, {"isa", ""}}}},
          {"quarantined", false},
          {"draining", false},
          {"backed_off", false},
          {"labels", Json::array()}};
}

TEST(OverviewText, JobIsOneLine) {
  EXPECT_EQ(JobTable(Json::array({Demo()})),
            "JOB               STATE      EPOCH  ROUND    METRIC           TIME  WHY\n"
            "lenet5-fashion-1  SUCCEEDED  5/5    150/150  accuracy 89.12%  0:42\n"
            "    All epochs done\n");
}

TEST(OverviewText, RegressionShowsLoss) {
  Json job = Demo();
  job["metrics"]["test"] = {{"loss", 0.01234567}};
  EXPECT_THAT(JobTable(Json::array({job})), HasSubstr("  loss 0.01235  "));
  job["metrics"] = {{"train", {{"loss", 2.5}}}};
  EXPECT_THAT(JobTable(Json::array({job})), HasSubstr("  train loss 2.5  "));
  job["metrics"] = Json::object();
  EXPECT_THAT(JobTable(Json::array({job})), HasSubstr("  -  "));
}

// Long jobs, and the longest states and reasons that there are.
TEST(OverviewText, EarlyStoppingShowsMetric) {
  Json job = Demo();
  job["early_stopping"] = {{"metric", "average_precision"}, {"best", 0.91191}, {"round", 30}};
  EXPECT_THAT(JobTable(Json::array({job})), HasSubstr("  best average_precision 0.9119  "));
  ExpectFitsTerminal(JobTable(Json::array({job})));
  job["early_stopping"] = {{"metric", "accuracy"}, {"best", 0.91191}, {"round", 30}};
  EXPECT_THAT(JobTable(Json::array({job})), HasSubstr("  best accuracy 91.19%  "));
}

TEST(OverviewText, LongReasonIsShownBelowJob) {
  Json job = Demo();
  job["epochs"] = job["epochs_total"] = 100;
  job["rounds"] = job["rounds_total"] = 117200;
  job["wall_seconds"] = 40 * 3600;
  job["state"] = "INTERRUPTED";
  job["reason"] = "waiting_for_larger_executors";
  const std::string text = JobTable({Demo(), job});
  ExpectFitsTerminal(text);
  EXPECT_THAT(text, HasSubstr("40:00:00\n    Needs executors with more memory\n"));
}

TEST(OverviewText, ExecutorShowsInstructionSets) {
  Json leaves = Executor("ip-10-0-112-13-1048576");
  leaves["draining"] = true;
  leaves["labels"] = {"zone=eu-central-1a", "gpu=none", "owner=department-of-statistics"};
  const Json cluster = {{"executors", {Executor("node0-4711"), leaves}}};
  const std::string text = ExecutorTable(cluster, Contracts::kIsa);
  ExpectFitsTerminal(text);
  EXPECT_THAT(text, HasSubstr("EXECUTOR                SLOTS  HEARD      ISA"));
  EXPECT_THAT(text, HasSubstr("node0-4711              16     0.4 s ago  avx512 or avx2\n"));
  EXPECT_THAT(text,
              HasSubstr("avx512 or avx2  leaves\n"
                        "    zone=eu-central-1a, gpu=none, owner=department-of-statistics\n"));
  EXPECT_THAT(text, Not(HasSubstr(kContract)));
  EXPECT_THAT(ExecutorTable(cluster, Contracts::kWhole),
              testing::AllOf(HasSubstr(kContract), HasSubstr(" or portable/1")));
}

TEST(OverviewText, ExecutorWithRetriesIsNamed) {
  Json calm = Executor("node0-1"), other = Executor("ip-10-0-112-13-1048576");
  calm["retries"] = {{"sessions", 0}, {"blocks", 0}};
  other["retries"] = {{"sessions", 9999}, {"leases", 9999}, {"jobs", 0},
                      {"states", 12},     {"blocks", 9999}, {"results", 9999}};
  EXPECT_THAT(ExecutorTable({{"executors", {calm, Executor("older")}}}, Contracts::kIsa),
              Not(HasSubstr("TRIED AGAIN")));
  const std::string text = ExecutorTable({{"executors", {calm, other}}}, Contracts::kIsa);
  ExpectFitsTerminal(text);
  EXPECT_THAT(text, HasSubstr("\n\nEXECUTOR                TRIED AGAIN FOR\n"
                              "ip-10-0-112-13-1048576\n"));
  EXPECT_THAT(text, HasSubstr("results (9999), sessions (9999), states (12)\n"));
}

TEST(OverviewText, JobDetailsFit80Columns) {
  Json job = Demo();
  job["state"] = "RUNNING";
  for (int unit = 0; unit < 16; ++unit) {
    job["units"].push_back({{"index", unit},
                            {"kind", "evaluate"},
                            {"leased_to", {"ip-10-0-112-13-1048576", "ip-10-0-112-14-1048577"}},
                            {"round", 117200},
                            {"settled", false},
                            {"steps_done", 1000},
                            {"steps_total", 1000}});
  }
  const std::string text = JobDetails(job);
  ExpectFitsTerminal(text);
  EXPECT_THAT(text, HasSubstr("contract      " + std::string(kContract) + "\n"));
  EXPECT_THAT(text, HasSubstr("ip-10-0-112-13-1048576, ip-10-0-112-14-1048577\n"));
}

// The output names each executor that gets no units, and the reason.
TEST(OverviewText, ExcludedExecutorIsNamedWithReason) {
  EXPECT_THAT(JobDetails(Demo()), Not(HasSubstr("no units for")));
  Json job = Demo();
  job["excluded"] = {"node1-7", "node2-8"};
  EXPECT_THAT(JobDetails(job),
              HasSubstr("\nno units for  node1-7, node2-8 (another kernel contract than the "
                        "job's)\n"));
  job["excluded_for_memory"] = {"node3-9"};
  job["excluded_for_labels"] = {"node4-10"};
  EXPECT_THAT(JobDetails(job),
              HasSubstr("\nno units for  node3-9 (a unit takes up to 100 MiB, more than their "
                        "memory holds)\nno units for  node4-10 (without labels that it needs)\n"));
}

}  // namespace
}  // namespace dl::cli
