// Answers for users: from the core's memory, from the documents and reports in the store, and a
// job's events.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/disk_calls.h"
#include "base/status.h"
#include "master/gateway/answer_bounds.h"
#include "master/gateway/core_shell.h"
#include "master/gateway/event_feed.h"
#include "master/gateway/recent_answers.h"
#include "master/history.h"
#include "master/job_definition.h"
#include "master/merge/shortage_retries.h"
#include "rpc/messages.h"
#include "storage/meta_store.h"

namespace dl::master {

// Thread-safe.
class Queries {
 public:
  struct Options {
    storage::MetaStore* meta = nullptr;
    CoreShell* core = nullptr;
    EventFeed* feed = nullptr;
    const ShortageRetries* shortage = nullptr;
    std::string data_dir = {};  // whose free space is reported; empty: none
    DefinitionMaker make_definition = DefinitionFromDocuments;
    PageBounds pages;
  };
  // All objects in the options must outlive this object.
  explicit Queries(Options options);

  // Returns the answer to a query. Answers of the core may be as old as the request allows; others
  // are current. Returns InvalidArgument for a negative age or number. Returns NotFound for an
  // unknown job (for kLog: an empty page), and for a document that the job does not have. Also
  // returns errors of the core and the store, and of SeriesAnswer, TimelineAnswer and
  // HistogramAnswer.
  StatusOr<rpc::QueryReply> Query(const rpc::QueryRequest& request, Duration deadline);
  // Stops the background refreshes of cached answers (RecentAnswers). Later queries that must read
  // a whole job from the store return Unavailable (History::Close). Idempotent.
  void Stop() {
    history_.Close();
    recent_.Stop();
  }
  // Returns the events of a job after request.after, from the store and from memory. Waits for the
  // first event up to request.wait_ms, limits::kLongPoll and `deadline`, whichever is shortest. If
  // an ended job has no such event, returns its result. Errors are those of Query.
  StatusOr<rpc::EventsReply> Events(const rpc::EventsRequest& request, Duration deadline);

 private:
  // A report of a job: a view of the core, or the JSON that was stored when the job ended.
  template <typename View>
  using Report = std::variant<View, std::string>;
  // Asks the core about a job, and then the store. Errors are those of Query.
  template <typename View, typename Question>
  StatusOr<Report<View>> FindReport(const Question& question, ReportKind kind, Duration deadline);
  StatusOr<rpc::QueryReply> Cluster(Duration deadline);
  // Returns events from memory, or from the store if memory lacks the next one.
  StatusOr<rpc::EventsReply> ReadFeed(const rpc::EventsRequest& request, Duration wait);
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
  // Returns jobs from submission number request.first on, or from request.last downwards, as many
  // as fit.
  StatusOr<rpc::QueryReply> JobsPage(const rpc::QueryRequest& request, Duration deadline);

  storage::MetaStore& meta_;
  CoreShell& core_;
  EventFeed& feed_;
  const ShortageRetries& shortage_;
  const std::string data_dir_;
  DiskCalls disk_;
  const PageBounds pages_;
  History history_;
  RecentAnswers recent_;
};

}  // namespace dl::master
