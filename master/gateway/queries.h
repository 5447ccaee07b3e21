// Answers for users: from the core's memory, from the documents and reports in the store, and a
// job's events.
#pragma once

#include <map>
#include <optional>
#include <string>
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
  // All of these must outlive this object.
  Queries(storage::MetaStore& meta, CoreShell& core, EventFeed& feed, const Shortage& shortage);

  // Answers of the core may be as old as the request allows. Returns InvalidArgument for an unknown
  // query, NotFound for an unknown job (an empty list of `log`), and errors of the core and the
  // store.
  StatusOr<rpc::QueryReply> Query(const rpc::QueryRequest& request, Duration deadline);
  // Stops the computation of answers in advance. Idempotent.
  void Stop() {
    history_.Close();
    recent_.Stop();
  }
  // Returns the events of a job after request.after, from the store and from memory. Waits for the
  // first event up to request.wait_ms and `deadline`. If an ended job has no such event, returns
  // its result. Errors are those of Query.
  StatusOr<rpc::EventsReply> Events(const rpc::EventsRequest& request, Duration deadline);

 private:
  // Asks the core about a job and writes its answer as JSON.
  template <typename View, typename Question>
  StatusOr<std::string> AskCore(const std::string& job, Duration deadline);
  StatusOr<std::string> AskCore(const rpc::QueryRequest& request, Duration deadline);
  StatusOr<rpc::QueryReply> Cluster(Duration deadline);
  // Returns the views of the jobs that are in the core's memory, by id.
  StatusOr<std::map<std::string, JobView>> JobsInMemory(const std::vector<std::string>& ids,
                                                        Instant end);
  // Returns the report of one job, or nullopt if it was deleted meanwhile. `in_memory` holds the
  // jobs in the core's memory.
  StatusOr<std::optional<std::string>> ReportOf(const std::string& id,
                                                const std::map<std::string, JobView>& in_memory,
                                                Instant end);
  // Returns a current answer about jobs and executors.
  StatusOr<rpc::QueryReply> QueryNow(const rpc::QueryRequest& request, Duration deadline);
  // Returns jobs from submission number request.first on, as many as fit.
  StatusOr<rpc::QueryReply> JobsPage(const rpc::QueryRequest& request, Duration deadline);

  storage::MetaStore& meta_;
  CoreShell& core_;
  EventFeed& feed_;
  const Shortage& shortage_;
  History history_;
  RecentAnswers recent_;
};

}  // namespace dl::master
