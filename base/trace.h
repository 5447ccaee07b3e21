// Named spans of time, by thread: where a process spends it. Off unless DL_TRACE names a folder, or
// a test or a benchmark asks: a span then costs one relaxed load. What was recorded goes into no
// result.
//
//   const Span span(spans::kLoad, Of(unit));
//
// A thread's newest 65,536 spans are kept, those of the threads that ended last too.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/trace_spans.h"

namespace dl {

// What a span is about, as far as it is about one: a round of a job, a unit of it.
struct SpanOf {
  std::string_view job;
  int64_t round = -1;
  int64_t index = -1;
};
inline SpanOf Of(const UnitId& unit) {
  return {.job = unit.job, .round = unit.round, .index = unit.index};
}

struct TracedSpan {
  std::string_view name;  // one of spans::kAll
  std::string thread;     // its name
  int64_t thread_number = 0;
  Instant begin, end;
  std::string job;
  int64_t round = -1, index = -1;
};

namespace internal {
extern std::atomic<bool> tracing;
void NoteSpan(std::string_view name, const SpanOf& of, Instant begin);
}  // namespace internal

inline bool Tracing() { return internal::tracing.load(std::memory_order_relaxed); }

// From its construction to End, or its destruction. `name` and `of` outlive it.
class Span {
 public:
  explicit Span(std::string_view name, const SpanOf& of = {}) {
    if (!Tracing()) return;
    name_ = name;
    of_ = of;
    begin_ = Clock::Real().Now();
  }
  ~Span() { End(); }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  void End() {
    if (name_.empty()) return;
    internal::NoteSpan(name_, of_, begin_);
    name_ = {};
  }

 private:
  std::string_view name_;  // empty: not recorded
  SpanOf of_;
  Instant begin_;
};

// Thread-safe. Forgets what was recorded and begins.
void StartTrace();
// Ends it: what was recorded, ascending by begin, the longer first. A span that is still open is
// not in it.
std::vector<TracedSpan> StopTrace();

// As chrome://tracing and ui.perfetto.dev read it.
std::string ChromeTrace(const std::vector<TracedSpan>& spans);

// Traces from now on and writes it to FOLDER/trace-PID.json when it goes; an empty folder: neither.
class TraceFile {
 public:
  explicit TraceFile(std::string folder);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

 private:
  const std::string folder_;
};

}  // namespace dl
