#include "base/trace.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/trace_parts.h"

namespace dl {
namespace {

constexpr size_t kSpansOfThread = size_t{1} << 16;
constexpr size_t kEndedThreads = 64;

// The names of parts of steps. A pointer to a name stays valid until the process ends.
class PartNames {
 public:
  static PartNames& Of() {
    static PartNames* const names = new PartNames;  // never destroyed: threads may end later
    return *names;
  }
  std::string_view Keep(const PartOfStep& part) DL_EXCLUDES(mutex_) {
    if (part.name.empty()) return part.kind;
    std::string name(part.name);
    if (part.kind != spans::kKernel) absl::StrAppend(&name, " ", std::string(part.kind));
    MutexLock lock(mutex_);
    const auto found = kinds_.find(name);
    if (found != kinds_.end()) return found->first;
    if (kinds_.size() == kMaxNames) return part.kind;
    return kinds_.emplace(std::move(name), part.kind).first->first;
  }
  // Returns the kind of a part, or the name itself if it is the name of another span.
  std::string_view KindOf(std::string_view name) DL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = kinds_.find(name);
    return found == kinds_.end() ? name : found->second;
  }

 private:
  static constexpr size_t kMaxNames = size_t{1} << 16;
  Mutex mutex_;
  std::map<std::string, std::string_view, std::less<>> kinds_ DL_GUARDED_BY(mutex_);  // by name
};

// Returns the command line of this process up to its command, such as "dl-submit executor".
std::string ProcessName() {
  constexpr int64_t kMaxBytes = 1 << 20;
  const auto line = ReadFile("/proc/self/cmdline", kMaxBytes);
  if (!line.ok()) return "";
  std::string name = line->substr(0, line->find('\0'));
  name = name.substr(name.rfind('/') + 1);
  const size_t second = line->find('\0') + 1;
  if (second > 0 && second < line->size() && (*line)[second] != '-')
    name += " " + line->substr(second, line->find('\0', second) - second);
  return name;
}

// The spans of one thread. Other threads take its lock only when a trace ends.
struct ThreadTrace {
  std::string name;
  int64_t number = 0;
  Mutex mutex;
  std::deque<TracedSpan> spans DL_GUARDED_BY(mutex);
};

struct Traces {
  Mutex mutex;
  int64_t threads DL_GUARDED_BY(mutex) = 0;
  // Shared with the thread while it exists. Sorted by the time of their first spans.
  std::deque<std::shared_ptr<ThreadTrace>> traces DL_GUARDED_BY(mutex);
};

Traces& TheTraces() {
  static Traces* const registry = new Traces;  // never destroyed: threads may end later
  return *registry;
}

ThreadTrace& OwnTrace() {
  thread_local const std::shared_ptr<ThreadTrace> own = [] {
    auto made = std::make_shared<ThreadTrace>();
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof(name));
    made->name = name;
    Traces& registry = TheTraces();
    MutexLock lock(registry.mutex);
    made->number = ++registry.threads;
    auto& traces = registry.traces;
    size_t ended = std::count_if(traces.begin(), traces.end(),
                                 [](const auto& t) { return t.use_count() == 1; });
    std::erase_if(traces, [&](const auto& t) {
      return t.use_count() == 1 && ended > kEndedThreads && ended-- > 0;
    });
    traces.push_back(made);
    return made;
  }();
  return *own;
}

}  // namespace

namespace internal {

std::atomic<bool> tracing{false};

void RecordSpan(std::string_view name, const SpanSubject& subject, Instant begin) {
  const Instant end = Clock::Real().Now();
  ThreadTrace& own = OwnTrace();
  MutexLock lock(own.mutex);
  if (own.spans.size() == kSpansOfThread) own.spans.pop_front();
  own.spans.push_back({.name = name,
                       .thread = own.name,
                       .thread_number = own.number,
                       .begin = begin,
                       .end = end,
                       .job = std::string(subject.job),
                       .round = subject.round,
                       .index = subject.index});
}

}  // namespace internal

void RecordPartOfStep(const PartOfStep& part, const SpanSubject& subject, Instant begin) {
  internal::RecordSpan(PartNames::Of().Keep(part), subject, begin);
}

void StartTrace() {
  (void)StopTrace();
  internal::tracing.store(true, std::memory_order_relaxed);
}

std::vector<TracedSpan> StopTrace() {
  internal::tracing.store(false, std::memory_order_relaxed);
  std::vector<TracedSpan> all;
  Traces& registry = TheTraces();
  MutexLock lock(registry.mutex);
  for (const auto& trace : registry.traces) {
    MutexLock own(trace->mutex);
    std::move(trace->spans.begin(), trace->spans.end(), std::back_inserter(all));
    trace->spans.clear();
  }
  std::erase_if(registry.traces, [](const auto& trace) { return trace.use_count() == 1; });
  std::stable_sort(all.begin(), all.end(), [](const TracedSpan& a, const TracedSpan& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  return all;
}

std::string ChromeTrace(const std::vector<TracedSpan>& spans) {
  const auto micros = [](Instant at) { return static_cast<double>(at.ns) / 1e3; };
  const int64_t pid = getpid();
  Json events = Json::array();
  events.push_back(
      {{"ph", "M"}, {"name", "process_name"}, {"pid", pid}, {"args", {{"name", ProcessName()}}}});
  std::vector<int64_t> named;
  for (const TracedSpan& span : spans) {
    if (std::find(named.begin(), named.end(), span.thread_number) == named.end()) {
      named.push_back(span.thread_number);
      events.push_back({{"ph", "M"},
                        {"name", "thread_name"},
                        {"pid", pid},
                        {"tid", span.thread_number},
                        {"args", {{"name", span.thread}}}});
    }
    Json of = Json::object();
    if (!span.job.empty()) of["job"] = span.job;
    if (span.round >= 0) of["round"] = span.round;
    if (span.index >= 0) of["index"] = span.index;
    events.push_back({{"ph", "X"},
                      {"name", std::string(span.name)},
                      {"cat", std::string(PartNames::Of().KindOf(span.name))},
                      {"pid", pid},
                      {"tid", span.thread_number},
                      {"ts", micros(span.begin)},
                      {"dur", micros(span.end) - micros(span.begin)},
                      {"args", std::move(of)}});
  }
  return Json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}}.dump();
}

TraceFile::TraceFile(std::string folder) : folder_(std::move(folder)) {
  if (!folder_.empty()) StartTrace();
}

TraceFile::~TraceFile() {
  if (folder_.empty()) return;
  const std::string path = absl::StrCat(folder_, "/trace-", getpid(), ".json");
  Status written = CreateFolders(folder_);
  if (written.ok()) written = AtomicWriteFile(path, ChromeTrace(StopTrace()));
  if (!written.ok()) LogWarning("cannot write the trace: ", DescribeError(written));
}

}  // namespace dl
