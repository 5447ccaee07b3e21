// Records named spans of time by thread, to show where a process spends its time. Disabled unless
// DL_TRACE names a folder, or a test or benchmark enables it; a disabled span costs one relaxed
// load. Recorded times never influence results.
//
//   const Span span(spans::kLoad, SubjectOf(unit));
//
// The newest 65,536 spans of each thread are kept, also those of the last 64 threads that ended.
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

// The job, round and unit that a span belongs to, as far as it belongs to any.
struct SpanSubject {
  std::string_view job;  // "": none
  int64_t round = -1;    // -1: none
  int64_t index = -1;    // of the unit; -1: none
};
inline SpanSubject SubjectOf(const UnitId& unit) {
  return {.job = unit.job, .round = unit.round, .index = unit.index};
}

struct TracedSpan {
  std::string_view name;      // one of spans::kAll, or of a part of a step (base/trace_parts.h)
  std::string thread;         // its name
  int64_t thread_number = 0;  // distinguishes threads of the same name
  Instant begin, end;
  std::string job;  // this and the next two: as in SpanSubject
  int64_t round = -1, index = -1;
};

namespace internal {
extern std::atomic<bool> tracing;
void RecordSpan(std::string_view name, const SpanSubject& subject, Instant begin);
}  // namespace internal

// Returns whether spans are recorded now.
inline bool Tracing() { return internal::tracing.load(std::memory_order_relaxed); }

// Measures the time from its construction to End or its destruction. `name` must stay valid until
// the process ends, because a TracedSpan refers to it. The job's text must outlive the span.
class Span {
 public:
  explicit Span(std::string_view name, const SpanSubject& subject = {}) {
    if (!Tracing()) return;
    name_ = name;
    subject_ = subject;
    begin_ = Clock::Real().Now();
  }
  ~Span() { End(); }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  void End() {
    if (name_.empty()) return;
    internal::RecordSpan(name_, subject_, begin_);
    name_ = {};
  }

 private:
  std::string_view name_;  // empty: tracing was off at the start, or the span has ended
  SpanSubject subject_;
  Instant begin_;
};

// Discards earlier spans and starts recording. Thread-safe.
void StartTrace();
// Stops recording. Returns the spans in ascending order of their start, longer ones first. Spans
// that are still open are not included. Thread-safe.
std::vector<TracedSpan> StopTrace();

// Returns the spans as JSON in the format of chrome://tracing and ui.perfetto.dev.
std::string ChromeTrace(const std::vector<TracedSpan>& spans);

// Records from construction to destruction, then writes FOLDER/trace-PID.json. A failed write is
// logged. Does nothing if the folder is "".
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
