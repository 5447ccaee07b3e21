// Every process writes spans of where its time goes. All documented spans occur, and the spans of a
// thread nest.
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "base/files.h"
#include "base/trace_parts.h"
#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/status_matchers.h"

namespace dl::test {
namespace {

class ScopedTrace {
 public:
  explicit ScopedTrace(const std::string& folder) { setenv("DL_TRACE", folder.c_str(), 1); }
  ~ScopedTrace() { unsetenv("DL_TRACE"); }
};

struct Traced {
  double begin = 0, end = 0;
  std::string name;
};

// By file and thread, in the order of the file.
using Traces = std::map<std::pair<std::string, int64_t>, std::vector<Traced>>;

Traces Read(const std::string& folder) {
  Traces traces;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    auto text = ReadFile(entry.path(), int64_t{1} << 30);
    DL_EXPECT_OK(text);
    auto json = ParseJson(text.value_or("{}"), entry.path().string());
    DL_EXPECT_OK(json);
    if (!json.ok()) continue;
    for (const Json& event : json->at("traceEvents")) {
      if (event["ph"] != "X") continue;
      const double begin = event["ts"].get<double>();
      traces[{entry.path(), event["tid"].get<int64_t>()}].push_back(
          {begin, begin + event["dur"].get<double>(), event["cat"].get<std::string>()});
    }
  }
  return traces;
}

std::set<std::string> Names(const Traces& traces) {
  std::set<std::string> names;
  for (const auto& [thread, spans] : traces)
    for (const Traced& span : spans) names.insert(span.name);
  return names;
}

// Expects that each span ends inside all spans of its thread that are open at its beginning.
void ExpectNested(const Traces& traces) {
  constexpr double kRounding = 0.01;  // the file rounds to microseconds
  for (const auto& [thread, spans] : traces) {
    std::vector<Traced> open;
    for (const Traced& span : spans) {
      while (!open.empty() && open.back().end <= span.begin + kRounding) open.pop_back();
      if (!open.empty()) {
        EXPECT_LE(span.end, open.back().end + kRounding)
            << span.name << " in " << open.back().name << " of " << thread.first;
      }
      open.push_back(span);
    }
  }
}

TEST(Trace, ProcessesWriteAllDocumentedSpans) {
  const TempFolder folder;
  const std::string job = WriteJob(folder, "job", MakeSample(folder, {.epochs = 2}));
  const std::string untraced = RunJob("local[2]", job).value("state_sha256", "");
  const ScopedTrace trace(folder / "traces");
  const Json result = RunJob("local-cluster[2]", job);
  EXPECT_EQ(result.value("state_sha256", ""), untraced) << "tracing is not in the result";
  const Traces traces = Read(folder / "traces");
  std::set<std::string> expected;
  for (const spans::Meaning& span : spans::kAll) expected.insert(std::string(span.name));
  for (const spans::Meaning& part : spans::kPartsOfStep) expected.insert(std::string(part.name));
  EXPECT_EQ(Names(traces), expected);
  ExpectNested(traces);
  std::set<std::string> files;
  for (const auto& [thread, spans] : traces) files.insert(thread.first);
  // dl-submit, a master and two executors. The job does not wait for the second executor, which may
  // end before it has done anything.
  EXPECT_GE(files.size(), 3u);
  EXPECT_LE(files.size(), 4u);
}

TEST(Trace, SingleProcessHasNoCalls) {
  const TempFolder folder;
  const std::string job = WriteJob(folder, "job", MakeSample(folder, {.epochs = 1}));
  const ScopedTrace trace(folder / "traces");
  RunJob("local[2]", job);
  const Traces traces = Read(folder / "traces");
  std::set<std::string> expected;
  for (const spans::Meaning& span : spans::kAll) expected.insert(std::string(span.name));
  for (const spans::Meaning& part : spans::kPartsOfStep) expected.insert(std::string(part.name));
  for (std::string_view name : {spans::kCall, spans::kServe, spans::kStage})
    expected.erase(std::string(name));
  EXPECT_EQ(Names(traces), expected);
  ExpectNested(traces);
}

}  // namespace
}  // namespace dl::test
