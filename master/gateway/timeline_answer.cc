#include "master/gateway/timeline_answer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "master/core/record_keys.h"
#include "storage/timeline/stored_timeline.h"

namespace dl::master {
namespace {

using storage::LeaseSpan;
using storage::RoundTimeline;
using storage::StoredTimeline;

double Millis(int64_t us) { return static_cast<double>(us) / 1000; }

// The executors of a page. They are numbered in the order of their first lease.
class PageExecutors {
 public:
  explicit PageExecutors(const StoredTimeline& stored) : stored_(stored) {}

  // Returns the index of an executor; null if its name is not recorded.
  StatusOr<Json> IndexOf(int32_t number) {
    if (number == 0) return Json();
    const auto [found, is_new] = indices_.emplace(number, names_.size());
    if (is_new) {
      DL_ASSIGN_OR_RETURN(std::string name, stored_.ExecutorName(number));
      names_.push_back(std::move(name));
    }
    return Json(found->second);
  }
  const Json& names() const { return names_; }

 private:
  const StoredTimeline& stored_;
  std::map<int32_t, size_t> indices_;
  Json names_ = Json::array();
};

StatusOr<Json> UnitJson(const LeaseSpan& lease, PageExecutors& executors) {
  DL_ASSIGN_OR_RETURN(Json executor, executors.IndexOf(lease.executor));
  return Json{{"unit", lease.unit},
              {"executor", std::move(executor)},
              {"leased_ms", Millis(lease.leased_us)},
              {"start_ms", Millis(lease.began_us)},
              {"end_ms", Millis(lease.ended_us)},
              {"computing_ms", Millis(lease.computing_us)},
              {"data_wait_ms", Millis(lease.data_wait_us)},
              {"state_wait_ms", Millis(lease.state_wait_us)},
              {"sending_ms", Millis(lease.sending_us)},
              {"end", std::string(LeaseEndName(lease.end))}};
}

enum class RoundPart { kTraining, kEvaluation };

// Appends the text of the round's training or evaluation, if it is recorded.
Status AppendRound(std::string& text, int64_t round, RoundPart part,
                   const std::optional<RoundTimeline>& timeline, PageExecutors& executors) {
  if (!timeline) return absl::OkStatus();
  Json json = {{"round", round},
               {"opened_unix_ms", Millis(timeline->opened_unix_us)},
               {"length_ms", Millis(timeline->length_us)}};
  if (part == RoundPart::kEvaluation) json["evaluation"] = true;
  Json units = Json::array();
  for (const LeaseSpan& lease : timeline->leases) {
    DL_ASSIGN_OR_RETURN(Json unit, UnitJson(lease, executors));
    units.push_back(std::move(unit));
  }
  json["units"] = std::move(units);
  absl::StrAppend(&text, text.empty() ? "" : ",", JsonText(json));
  return absl::OkStatus();
}

}  // namespace

StatusOr<rpc::QueryReply> TimelineAnswer(storage::MetaStore& meta, const rpc::QueryRequest& request,
                                         int64_t page_bytes) {
  if (request.first < 0 || request.last < 0)
    return InvalidArgument({.message = "the number of a round must be at least 0"});
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> record, meta.Get(keys::Job(request.job)));
  if (!record) return NotFound({.message = "no such job", .where = request.job});
  const StoredTimeline stored(meta, request.job);
  DL_ASSIGN_OR_RETURN(const storage::TimelineRounds recorded, stored.Rounds());
  const int64_t first = std::max(request.first, recorded.first);
  const int64_t last = request.last == 0 ? recorded.last : std::min(request.last, recorded.last);
  PageExecutors executors(stored);
  rpc::QueryReply reply;
  std::string rounds;
  for (int64_t round = first; round <= last; ++round) {
    DL_ASSIGN_OR_RETURN(const auto training, stored.Training(round));
    DL_ASSIGN_OR_RETURN(const auto evaluation, stored.Evaluation(round));
    std::string text;
    DL_RETURN_IF_ERROR(AppendRound(text, round, RoundPart::kTraining, training, executors));
    DL_RETURN_IF_ERROR(AppendRound(text, round, RoundPart::kEvaluation, evaluation, executors));
    const auto bytes = static_cast<int64_t>(rounds.size() + text.size());
    if (round > first && (bytes > page_bytes || round - first == kMaxTimelineRounds)) {
      reply.next_first = round;
      break;
    }
    absl::StrAppend(&rounds, rounds.empty() || text.empty() ? "" : ",", text);
  }
  reply.json = absl::StrCat("{\"executors\":", JsonText(executors.names()),
                            ",\"first\":", recorded.first, ",\"job\":", JsonText(request.job),
                            ",\"last\":", recorded.last, ",\"rounds\":[", rounds, "]}");
  return reply;
}

}  // namespace dl::master
