// Executes each effect of the core after its release: answers go to callers, events to subscribers,
// log lines to the operator, and bulk work to the merge engine. A separate thread reads round logs
// and folds series.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/work_queue.h"
#include "master/core/master_events.h"
#include "master/gateway/core_shell.h"
#include "master/gateway/event_feed.h"
#include "master/gateway/log_lines.h"
#include "master/gateway/open_sessions.h"
#include "master/merge/merge_engine.h"
#include "storage/meta_store.h"

namespace dl::master {

// Thread-safe.
class EffectDispatcher {
 public:
  struct Options {
    storage::MetaStore* meta = nullptr;  // all of these must outlive this object
    CoreShell* core = nullptr;
    EventFeed* feed = nullptr;
    LogLines* log = nullptr;
    OpenSessions* sessions = nullptr;
    MergeEngine* engine = nullptr;
    // Called when the record that a job has ended or was paused is durable.
    std::function<void(const std::string& job)> job_released;
    MakeWorkQueue make_queue = StartWorkerThread;
  };
  explicit EffectDispatcher(Options options)
      : options_(std::move(options)), round_logs_(options_.make_queue("round-logs")) {}
  ~EffectDispatcher() { options_.engine->shortage().Stop(); }

  // Executes or starts the effects in order. Their contents are moved out.
  void Release(std::vector<Effect>& effects);

 private:
  void Do(Answer& effect) { options_.core->Deliver(effect); }
  void Do(Log& effect) { options_.log->Write(std::move(effect.line)); }
  void Do(const SessionBegan& effect) { options_.sessions->Do(effect); }
  void Do(const SessionEnded& effect) { options_.sessions->Do(effect); }
  void Do(const Emit& effect);
  void Do(const SurveyLog& effect);
  void Do(const ReadCommits& effect);
  void Do(const FoldSeries& effect);
  void Do(const ReleaseJob& effect);
  // Reads the job's log or series on the thread for round logs, and posts what `read` returns.
  // Retries for ShortageRetries::kRetryTimeout while file descriptors or memory are exhausted.
  template <typename Reading>
  void ReadLog(const std::string& job, Reading read);
  template <typename BulkEffect>
  void Do(const BulkEffect& effect) {
    options_.engine->Do(effect);
  }

  const Options options_;
  const std::unique_ptr<WorkQueue> round_logs_;  // reads round logs and series
};

}  // namespace dl::master
