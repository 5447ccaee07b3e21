#include "tests/sim/timeline_rules.h"

#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "master/log_reading.h"
#include "storage/timeline/stored_timeline.h"

namespace dl::sim {
namespace {

using storage::LeaseEnd;
using storage::LeaseSpan;
using storage::RoundTimeline;

// Returns what is wrong with the times of the round; empty: nothing.
std::string ImpossibleTime(const RoundTimeline& round) {
  for (const LeaseSpan& lease : round.leases) {
    const int64_t shares = lease.computing_us + lease.data_wait_us + lease.state_wait_us;
    if (lease.leased_us > lease.began_us || shares > lease.ended_us - lease.began_us ||
        lease.ended_us > round.length_us || lease.sending_us > round.length_us)
      return absl::StrCat("unit ", lease.unit, " has impossible times");
    if (lease.executor == 0) return absl::StrCat("unit ", lease.unit, " has no executor");
  }
  return "";
}

// Returns which worker of the commit has no lease, or not one, that gave the result; empty: none.
std::string MissingWorker(const RoundTimeline& round, const master::LogRecord& commit) {
  std::multiset<int32_t> committed;
  for (const LeaseSpan& lease : round.leases) {
    if (lease.end == LeaseEnd::kCommitted) committed.insert(lease.unit);
  }
  for (const master::CommittedUnit& unit : commit.units) {
    if (committed.count(unit.worker) != 1)
      return absl::StrCat("worker ", unit.worker, " has ", committed.count(unit.worker),
                          " committed leases");
  }
  return committed.size() == commit.units.size() ? "" : "other workers have committed leases";
}

}  // namespace

void CheckTimeline(const Audit& audit, const std::string& job) {
  const auto log = master::LoadWholeLog(*audit.meta, job);
  if (!log.ok() || log->records.empty()) return;  // deleted
  std::map<int64_t, const master::LogRecord*> commits;
  for (const master::LogRecord& record : log->records) {
    if (record.type == master::RecordType::kRollback)
      commits.erase(commits.upper_bound(record.round), commits.end());
    if (record.type == master::RecordType::kCommit) commits[record.round] = &record;
  }
  const storage::StoredTimeline stored(*audit.meta, job);
  const auto breach = [&](int64_t round, const std::string& what) {
    audit.breach(absl::StrCat("the timeline of round ", round, " of ", job, ": ", what));
  };
  const auto rounds = stored.Rounds();
  if (!rounds.ok()) return breach(0, DescribeError(rounds.status()));
  const int64_t last = commits.empty() ? 0 : commits.rbegin()->first;
  if (rounds->last != last || rounds->first != 1)
    return breach(last, absl::StrCat("it has rounds ", rounds->first, " to ", rounds->last));
  for (const auto& [round, commit] : commits) {
    const auto timeline = stored.Training(round);
    if (!timeline.ok()) return breach(round, DescribeError(timeline.status()));
    if (!timeline->has_value()) return breach(round, "it is missing");
    if (const std::string what = ImpossibleTime(**timeline); !what.empty())
      return breach(round, what);
    if (const std::string what = MissingWorker(**timeline, *commit); !what.empty())
      return breach(round, what);
  }
}

}  // namespace dl::sim
