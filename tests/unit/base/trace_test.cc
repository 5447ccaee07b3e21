#include "base/trace.h"

#include <filesystem>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/json.h"
#include "base/thread.h"
#include "base/trace_parts.h"
#include "gmock/gmock.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl {
namespace {

struct TraceTest : ::testing::Test {
  ~TraceTest() override { (void)StopTrace(); }
};

TEST_F(TraceTest, NothingIsRecordedUnlessAskedFor) {
  { const Span span(spans::kStep); }
  EXPECT_TRUE(StopTrace().empty());
  StartTrace();
  { const Span span(spans::kStep); }
  EXPECT_EQ(StopTrace().size(), 1u);
  { const Span span(spans::kStep); }
  EXPECT_TRUE(StopTrace().empty());
}

TEST_F(TraceTest, SpanHasThreadUnitAndChildren) {
  const UnitId unit{.job = "lenet5-1", .round = 3, .index = 2};
  StartTrace();
  Thread("slot-7", [&] {
    const Span outer(spans::kUnit, SubjectOf(unit));
    Span inner(spans::kLoad);
    inner.End();
    inner.End();  // counts only once
  }).Join();
  const std::vector<TracedSpan> spans = StopTrace();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].name, spans::kUnit);
  EXPECT_EQ(spans[0].thread, "slot-7");
  EXPECT_EQ(spans[0].job, "lenet5-1");
  EXPECT_EQ(spans[0].round, 3);
  EXPECT_EQ(spans[0].index, 2);
  EXPECT_EQ(spans[1].name, spans::kLoad);
  EXPECT_EQ(spans[1].thread_number, spans[0].thread_number);
  EXPECT_LE(spans[0].begin, spans[1].begin);
  EXPECT_LE(spans[1].begin, spans[1].end);
  EXPECT_LE(spans[1].end, spans[0].end);
}

TEST_F(TraceTest, NewestSpansOfThreadAreKept) {
  StartTrace();
  constexpr int kKept = 1 << 16;
  for (int i = 0; i < kKept + 5; ++i) const Span span(spans::kStep, {.round = i});
  const std::vector<TracedSpan> spans = StopTrace();
  ASSERT_EQ(spans.size(), static_cast<size_t>(kKept));
  EXPECT_EQ(spans.front().round, 5);
  EXPECT_EQ(spans.back().round, kKept + 4);
}

// A server has one thread per connection.
TEST_F(TraceTest, LastEndedThreadsAreKept) {
  StartTrace();
  for (int i = 0; i < 200; ++i)
    Thread("connection", [i] { const Span span(spans::kServe, {.round = i}); }).Join();
  const std::vector<TracedSpan> spans = StopTrace();
  ASSERT_GE(spans.size(), 64u);
  EXPECT_LE(spans.size(), 66u);
  EXPECT_EQ(spans.back().round, 199);
}

TEST_F(TraceTest, SpansOfSeveralThreadsWhileATraceEnds) {
  StartTrace();
  std::vector<Thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back("busy", [] {
      for (int k = 0; k < 2000; ++k) const Span span(spans::kAdd, {.job = "j", .round = k});
    });
  }
  size_t seen = StopTrace().size();
  threads.clear();
  EXPECT_LE(seen, 8000u);
}

TEST_F(TraceTest, FileIsWrittenToRequestedFolder) {
  const test::TempFolder folder;
  { const TraceFile none(""); }
  EXPECT_FALSE(Tracing());
  {
    const TraceFile file(folder / "deep/traces");
    const Span span(spans::kFinish, {.job = "a\"b", .round = 4});
    const Instant now = Clock::Real().Now();
    RecordPartOfStep({.kind = spans::kKernel, .name = "own:max_pool"}, {}, now);
    RecordPartOfStep({.kind = spans::kForward, .name = "conv1"}, {.round = 4}, now);
    RecordPartOfStep({.kind = spans::kUpdate}, {}, now);
  }
  EXPECT_FALSE(Tracing());
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "deep/traces"))
    files.push_back(entry.path());
  ASSERT_EQ(files.size(), 1u);
  auto text = ReadFile(files.front(), 1 << 20);
  DL_ASSERT_OK(text);
  auto json = ParseJson(*text, "trace");
  DL_ASSERT_OK(json);
  const Json& events = json->at("traceEvents");
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(events[0]["name"], "process_name");
  EXPECT_EQ(events[0]["args"]["name"].get<std::string>().rfind("base_unit_test", 0), 0);
  EXPECT_EQ(events[1]["name"], "thread_name");
  EXPECT_EQ(events[2]["ph"], "X");
  EXPECT_EQ(events[2]["name"], "finish");
  EXPECT_EQ(events[2]["cat"], "finish");
  EXPECT_EQ(events[2]["args"], (Json{{"job", "a\"b"}, {"round", 4}}));
  EXPECT_GE(events[2]["dur"].get<double>(), 0);
  std::set<std::string> parts;
  for (const Json& event : {events[3], events[4], events[5]})
    parts.insert(event["cat"].get<std::string>() + ": " + event["name"].get<std::string>());
  EXPECT_THAT(parts, testing::ElementsAre("forward: conv1 forward", "kernel: own:max_pool",
                                          "update: update"));
}

TEST_F(TraceTest, EverySpanIsDocumented) {
  auto text = ReadFile(DL_SOURCE_FOLDER "/docs/operations/watch.md", 1 << 20);
  DL_ASSERT_OK(text);
  std::vector<spans::Meaning> all(std::begin(spans::kAll), std::end(spans::kAll));
  all.insert(all.end(), std::begin(spans::kPartsOfStep), std::end(spans::kPartsOfStep));
  for (const spans::Meaning& span : all) {
    EXPECT_THAT(*text, testing::HasSubstr(absl::StrCat("| `", std::string(span.name), "` | ",
                                                       std::string(span.thread), " | ",
                                                       std::string(span.meaning), " |\n")));
  }
}

}  // namespace
}  // namespace dl
