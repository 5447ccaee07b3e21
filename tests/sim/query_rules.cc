#include "tests/sim/query_rules.h"

#include <iterator>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/system_error.h"
#include "master/core/job/job.h"
#include "master/core/record_keys.h"

namespace dl::sim {
namespace {

std::string Named(rpc::QueryKind what) { return absl::StrCat("query ", static_cast<int>(what)); }

// Whether the same question may be answered later.
bool IsPassing(const Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsInternal(status) || absl::IsCancelled(status) || IsShortage(status);
}

}  // namespace

void QueryRules::Written(const storage::MetaBatch& batch) {
  for (const storage::MetaBatch::Change& change : batch.changes()) {
    if (!change.value || !change.key.starts_with(master::keys::kJobPrefix)) continue;
    durable_since_.try_emplace(change.key.substr(change.key.find('/') + 1), Clock::Real().Now());
  }
  for (const auto& [id, job] : ledger_.jobs()) {
    auto& commits = commits_[id];
    if (commits.empty() || commits.rbegin()->second != job.committed)
      commits[Clock::Real().Now()] = job.committed;
  }
}

int64_t QueryRules::CommittedRound(const std::string& id, const Before& before,
                                   int64_t age_ms) const {
  if (age_ms == 0) {
    const auto job = before.jobs.find(id);
    return job == before.jobs.end() ? -1 : job->second.committed;
  }
  const auto commits = commits_.find(id);
  if (commits == commits_.end()) return -1;
  // Ages are rounded down to milliseconds.
  const auto later =
      commits->second.lower_bound(before.now - std::chrono::milliseconds(age_ms + 1));
  return later == commits->second.begin() ? -1 : std::prev(later)->second;
}

void QueryRules::Admitted(const security::Identity& who) const {
  const bool valid = who.token.empty() || audit_.tokens->IsValid(who.token);
  if (valid && who.role != security::Role::kExecute) return;
  audit_.breach(absl::StrCat("a question of ", who.owner, " (",
                             std::string(security::RoleName(who.role)), ") is admitted"));
}

bool QueryRules::MustBeKnown(const std::string& id, const Before& before) const {
  const auto job = before.jobs.find(id);
  const auto now = ledger_.jobs().find(id);
  return durable_since_.contains(id) && job != before.jobs.end() && !job->second.deleted &&
         !now->second.deleted;
}

void QueryRules::CheckError(const std::string& job, const Before& before,
                            const Status& error) const {
  if (absl::IsNotFound(error)) {
    if (MustBeKnown(job, before)) audit_.breach(absl::StrCat(job, " is not found by a query"));
    return;
  }
  if (!IsPassing(error)) audit_.breach("a question is refused: " + DescribeError(error));
}

void QueryRules::Answered(const rpc::QueryRequest& request, const Before& before,
                          const StatusOr<rpc::QueryReply>& reply) {
  using rpc::QueryKind;
  if (!reply.ok()) {
    // A job may lack a test set.
    if (request.what == QueryKind::kTestManifest && absl::IsNotFound(reply.status())) return;
    return CheckError(request.job, before, reply.status());
  }
  ++audit_.report->answers;
  if (reply->age_ms > request.max_age_ms)
    audit_.breach(absl::StrCat(Named(request.what), " has an answer that is too old"));
  if (request.what == QueryKind::kJobs) return CheckJobsPage(request, before, *reply);
  if (request.what == QueryKind::kLog) return CheckLogPage(request, *reply);
  if (request.what == QueryKind::kJob || request.what == QueryKind::kResult)
    CheckReport(Json::parse(reply->json), before, reply->age_ms);
}

void QueryRules::CheckJobsPage(const rpc::QueryRequest& request, const Before& before,
                               const rpc::QueryReply& reply) const {
  const Json page = Json::parse(reply.json);
  if (page.size() > pages.jobs ||
      (page.size() > 1 && static_cast<int64_t>(reply.json.size()) > pages.bytes))
    audit_.breach(absl::StrCat("a page of ", page.size(), " jobs has ", reply.json.size(),
                               " bytes, beyond its bounds"));
  std::set<std::string> listed;
  for (const Json& report : page) {
    const std::string id = report.value("job", "");
    if (!listed.insert(id).second) audit_.breach(absl::StrCat(id, " is listed twice"));
    CheckReport(report, before, reply.age_ms);
  }
  const auto first = static_cast<uint64_t>(std::max<int64_t>(1, request.first));
  const auto next = static_cast<uint64_t>(reply.next_first);
  if (next != 0 && next <= first) audit_.breach("a page of jobs is followed by an earlier one");
  const Instant as_of = before.now - std::chrono::milliseconds(reply.age_ms + 1);
  for (const auto& [id, since] : durable_since_) {
    const uint64_t number = master::JobNumber(id);
    const bool on_page = number >= first && (next == 0 || number < next);
    if (on_page && since <= as_of && MustBeKnown(id, before) && !listed.contains(id))
      audit_.breach(absl::StrCat(id, " is not listed"));
  }
}

void QueryRules::CheckLogPage(const rpc::QueryRequest& request,
                              const rpc::QueryReply& reply) const {
  const Json page = Json::parse(reply.json);
  if (page.size() > 1 && static_cast<int64_t>(reply.json.size()) > pages.bytes)
    audit_.breach(absl::StrCat("a page of the log has ", reply.json.size(), " bytes"));
  if (reply.next_first != 0 &&
      reply.next_first != request.first + static_cast<int64_t>(page.size()))
    audit_.breach(absl::StrCat("a page of the log of ", request.job, " misses records"));
}

void QueryRules::CheckReport(const Json& report, const Before& before, int64_t age_ms) const {
  const std::string id = report.value("job", "");
  const auto now = ledger_.jobs().find(id);
  if (now == ledger_.jobs().end()) return audit_.breach(id + " is shown before it is durable");
  const int64_t rounds = report.value("rounds", int64_t{0});
  CheckRounds(id, rounds);
  const int64_t committed = CommittedRound(id, before, age_ms);
  if (!audit_.expected.rollbacks && !audit_.expected.lies && rounds < committed)
    audit_.breach(
        absl::StrCat("a report of ", id, " shows ", rounds, " of ", committed, " rounds"));
  if (report.contains("owner") && report["owner"] != now->second.owner)
    audit_.breach(absl::StrCat(id, " is shown as a job of ", report["owner"].dump()));
  if (report.value("state", "") == "SUCCEEDED" && !now->second.deleted &&
      now->second.state != "SUCCEEDED")
    audit_.breach(id + " is shown as SUCCEEDED before that is durable");
}

void QueryRules::CheckRounds(const std::string& id, int64_t rounds) const {
  const DurableJob& job = ledger_.jobs().at(id);
  if (audit_.expected.rollbacks || audit_.expected.lies || job.deleted) return;
  if (rounds > std::max<int64_t>(0, job.committed))
    audit_.breach(absl::StrCat("round ", rounds, " of ", id, " is shown before it is durable"));
}

void QueryRules::Answered(const rpc::EventsRequest& request, const Before& before,
                          const StatusOr<rpc::EventsReply>& reply) {
  if (!reply.ok()) return CheckError(request.job, before, reply.status());
  const auto count = static_cast<int64_t>(reply->events.size());
  if (count > limits::kMaxEventsPerReply) audit_.breach("an answer has too many events");
  // The store has no events of a deleted job.
  if (ledger_.job(request.job).deleted) return;
  if (reply->last == request.after) {
    // Only the result of an ended job comes without a number of its own.
    if (count > 1 || (count == 1 && !reply->terminal))
      audit_.breach(absl::StrCat("events of ", request.job, " are shown twice"));
    return;
  }
  if (reply->last - request.after != count)
    return audit_.breach(absl::StrCat("between events ", request.after, " and ", reply->last,
                                      " of ", request.job, ", ", count, " are shown"));
  audit_.report->events_read += count;
  for (int64_t i = 0; i < count; ++i)
    CheckEvent(request.job, request.after + 1 + i, reply->events[static_cast<size_t>(i)]);
}

void QueryRules::CheckEvent(const std::string& job, int64_t sequence, const std::string& text) {
  const Json event = Json::parse(text);
  const bool result = event.value("type", "") == "result";
  if (!result && event.value("seq", int64_t{0}) != sequence)
    audit_.breach(absl::StrCat("event ", sequence, " of ", job, " has another number: ", text));
  if (event.value("type", "") == "round") CheckRounds(job, event.value("round", int64_t{0}));
  const std::string& first = shown_[job].try_emplace(sequence, text).first->second;
  if (first != text)
    audit_.breach(absl::StrCat("event ", sequence, " of ", job, " was ", first, " and is ", text));
}

}  // namespace dl::sim
