// What users are told: of what the core has in memory, of jobs that ended, of a job's events as
// they come.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "master/gateway/core_shell.h"
#include "master/gateway/event_feed.h"
#include "master/gateway/recent_answers.h"
#include "master/history.h"
#include "master/merge/shortage.h"
#include "rpc/messages.h"
#include "storage/meta_store.h"

namespace dl::master {

// Thread-safe.
class Queries {
 public:
  // These outlive it.
  Queries(storage::MetaStore& meta, CoreShell& core, EventFeed& feed, const Shortage& shortage);

  // What the core is asked for may be of the age that the request allows.
  StatusOr<rpc::QueryReply> Query(const rpc::QueryRequest& request, Duration deadline);
  // No answer is made ahead any more; idempotent.
  void Stop() {
    history_.Close();
    recent_.Stop();
  }
  StatusOr<rpc::EventsReply> Events(const rpc::EventsRequest& request, Duration deadline);

 private:
  // What the core says. Everything that is told of its memory comes by this way.
  StatusOr<rpc::QueryReply> AskCore(rpc::QueryRequest question, Duration deadline) {
    return core_.AskFor<rpc::QueryReply>(std::move(question), deadline);
  }
  // The reports of those jobs that are in the core's memory, by id.
  StatusOr<std::map<std::string, std::string>> ReportsInMemory(const std::vector<std::string>& ids,
                                                               Instant end);
  // The report of one job; none when it was deleted meanwhile. `told`: those in the core's memory.
  StatusOr<std::optional<std::string>> ReportOf(const std::string& id,
                                                std::map<std::string, std::string>& told,
                                                Instant end);
  // What is told of jobs and executors, as it is now.
  StatusOr<rpc::QueryReply> QueryNow(const rpc::QueryRequest& request, Duration deadline);
  // Jobs from the request.first-th submission on, as many as fit.
  StatusOr<rpc::QueryReply> JobsPage(const rpc::QueryRequest& request, Duration deadline);

  storage::MetaStore& meta_;
  CoreShell& core_;
  EventFeed& feed_;
  const Shortage& shortage_;
  History history_;
  RecentAnswers recent_;
};

}  // namespace dl::master
