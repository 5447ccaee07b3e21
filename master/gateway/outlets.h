// Where each effect of the core goes once it may leave: answers to who asked, events to who
// follows, lines to who runs the master, bulk work to the merge engine, the reading of round logs
// to a thread of its own.
#pragma once

#include <string>
#include <vector>

#include "base/worker_thread.h"
#include "master/core/events.h"
#include "master/gateway/core_shell.h"
#include "master/gateway/event_feed.h"
#include "master/gateway/log_lines.h"
#include "master/gateway/open_sessions.h"
#include "master/gateway/retention.h"
#include "master/merge/merge_engine.h"
#include "storage/meta_store.h"

namespace dl::master {

// Thread-safe.
class Outlets {
 public:
  struct Options {
    storage::MetaStore* meta = nullptr;  // all of these outlive it
    CoreShell* core = nullptr;
    EventFeed* feed = nullptr;
    LogLines* log = nullptr;
    OpenSessions* sessions = nullptr;
    MergeEngine* engine = nullptr;
    Retention* retention = nullptr;
  };
  explicit Outlets(Options options) : options_(options) {}
  ~Outlets() { options_.engine->shortage().Stop(); }

  // In this order. What the effects carry is moved out of them.
  void Release(std::vector<Effect>& effects);

 private:
  void Do(Answer& effect) { options_.core->Deliver(effect); }
  void Do(Log& effect) { options_.log->Write(std::move(effect.line)); }
  void Do(const SessionBegan& effect) { options_.sessions->Do(effect); }
  void Do(const SessionEnded& effect) { options_.sessions->Do(effect); }
  void Do(Emit& effect);
  void Do(const SurveyLog& effect);
  void Do(const ReadCommits& effect);
  void Do(const ReleaseJob& effect);
  // Reads of the job's log, on the thread for that, until it lacks neither files nor memory.
  template <typename Reading>
  void ReadLog(const std::string& job, Reading read);
  template <typename BulkEffect>
  void Do(const BulkEffect& effect) {
    options_.engine->Do(effect);
  }

  const Options options_;
  WorkerThread round_logs_{"round-logs"};  // reads them
};

}  // namespace dl::master
