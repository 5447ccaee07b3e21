#include "master/core/job/unit.h"

#include <algorithm>
#include <set>
#include <utility>

namespace dl::master {
namespace {

constexpr int kMostFailures = 3;  // per executor
// After a lease expired, its executor is expected to continue the computation for this long.
constexpr Duration kGoesOn = std::chrono::seconds(10);

// Returns pairs of digest and executor, without duplicates: repeated computations of one executor
// add no vote. A result of the past may come from one of the executors that may only repeat it.
// Among these, as many add no vote as there are equal results of the past. Any further one has
// computed the unit itself, and has a vote unless `repeats_count` is false.
std::set<std::pair<uint64_t, std::string>> Votes(const std::vector<UnitResult>& results,
                                                 bool repeats_count = true) {
  std::map<uint64_t, std::set<std::string>> past;  // by digest
  for (const UnitResult& r : results) {
    if (r.of_the_past) past[r.digest].insert(r.executor);
  }
  std::set<std::pair<uint64_t, std::string>> votes, repeated;
  for (const UnitResult& r : results) {
    const bool repeats = r.may_repeat_the_past && past.contains(r.digest);
    (repeats ? repeated : votes).emplace(r.digest, r.executor);
  }
  std::map<uint64_t, size_t> repeating;  // number of executors by digest
  for (const auto& vote : repeated) {
    if (repeats_count && ++repeating[vote.first] > past.at(vote.first).size()) votes.insert(vote);
  }
  return votes;
}

}  // namespace

Unit::Meaning Unit::Record(const UnitResult& result_in) {
  const bool contradictory = std::any_of(results.begin(), results.end(), [&](const UnitResult& r) {
    return r.executor == result_in.executor && r.digest != result_in.digest;
  });
  if (contradictory) return Meaning::kContradictory;
  const bool known = std::any_of(results.begin(), results.end(), [&](const UnitResult& r) {
    return r.executor == result_in.executor && r.lease == result_in.lease;
  });
  if (!known) Keep(result_in);
  const bool differs = std::any_of(results.begin(), results.end(), [&](const UnitResult& r) {
    return r.digest != result_in.digest;
  });
  if (differs) return Meaning::kDifferent;
  if (!accepted) return Meaning::kFirst;
  return result.holder == result_in.session && (known || !result.staged) ? Meaning::kRepeated
                                                                         : Meaning::kSame;
}

void Unit::Keep(const UnitResult& kept) {
  std::vector<UnitResult*> alike;
  for (UnitResult& r : results) {
    if (r.executor == kept.executor && r.alone == kept.alone &&
        r.may_repeat_the_past == kept.may_repeat_the_past)
      alike.push_back(&r);
  }
  if (alike.size() < 2) {
    results.push_back(kept);
    return;
  }
  // Distrust() finds the holder of the bytes by its session.
  *(alike[0]->session == result.holder ? alike[1] : alike[0]) = kept;
}

void Unit::RecordRun(const Announcement& announcement, const std::string& executor, Instant opened,
                     Instant now) {
  const rpc::AnnounceRequest& said = announcement.said;
  UnitRun run{.lease = said.lease,
              .executor = executor,
              .has_result = true,
              .digest = announcement.digest,
              .end = storage::LeaseEnd::kConfirmed,
              .leased = opened};
  for (const UnitLease& lease : leases) {
    if (lease.lease == said.lease) run.leased = lease.granted;
  }
  const auto ended = std::ranges::find(runs, said.lease, &UnitRun::lease);
  if (ended != runs.end()) {
    if (ended->has_result) return;
    run.leased = ended->leased;
    runs.erase(ended);
  }
  run.ended = std::max(now, run.leased);
  run.times = AcceptedTimes(said, now - run.leased);
  AddRun(std::move(run));
}

void Unit::RecordEnd(const UnitLease& lease, storage::LeaseEnd end, Instant now) {
  if (std::ranges::find(runs, lease.lease, &UnitRun::lease) != runs.end()) return;
  AddRun({.lease = lease.lease,
          .executor = lease.executor,
          .end = end,
          .leased = lease.granted,
          .ended = std::max(now, lease.granted),
          .times = AcceptedTimes({}, now - lease.granted)});
}

void Unit::RecordEndsOf(const std::string& executor, storage::LeaseEnd end, Instant now) {
  for (UnitRun& run : runs) {
    if (run.executor == executor && run.has_result) run.end = end;
  }
  for (const UnitLease& lease : leases) {
    if (lease.executor == executor) RecordEnd(lease, end, now);
  }
}

void Unit::AddRun(UnitRun run) {
  if (runs.size() == kMostRuns) {
    // Results stay as long as possible, because the round commits one of them.
    auto oldest = std::ranges::find(runs, false, &UnitRun::has_result);
    if (oldest == runs.end()) {
      oldest = std::ranges::find_if(
          runs, [&](const UnitRun& old) { return !accepted || old.lease != result.lease; });
    }
    runs.erase(oldest);
  }
  runs.push_back(std::move(run));
}

void Unit::RecordLostResult() {
  const auto run = std::ranges::find(runs, result.lease, &UnitRun::lease);
  if (run != runs.end()) run->end = storage::LeaseEnd::kLost;
}

bool Unit::IsHolder(const std::string& executor) const {
  return std::ranges::any_of(results, [&](const UnitResult& r) {
    return r.executor == executor && r.session == result.holder;
  });
}

void Unit::RecordArrival(Instant now) {
  result.staged = true;
  const auto run = std::ranges::find(runs, result.lease, &UnitRun::lease);
  if (run != runs.end()) run->sending = std::max(now - result.asked_for, Duration{});
}

bool Unit::disputed() const {
  return std::any_of(results.begin(), results.end(),
                     [&](const UnitResult& r) { return r.digest != results.front().digest; });
}

bool Unit::Majority(uint64_t& digest) const {
  const bool trusts = deciders != nullptr && !deciders->empty();
  auto votes = Votes(results, /*repeats_count=*/!trusts);
  if (trusts) std::erase_if(votes, [&](const auto& v) { return !deciders->contains(v.second); });
  const size_t enough = trusts ? 1 : 2;
  size_t agree = 0;
  uint64_t candidate = 0;
  for (const auto& [voted, executor] : votes) {  // equal digests are adjacent
    agree = voted == candidate ? agree + 1 : 1;
    candidate = voted;
    if (agree >= enough && 2 * agree > votes.size()) {
      digest = candidate;
      return true;
    }
  }
  return false;
}

bool Unit::Confirmed() const {
  if (deciders != nullptr && !deciders->empty())
    return std::ranges::any_of(results,
                               [&](const UnitResult& r) { return deciders->contains(r.executor); });
  if (results.size() < 2) return false;
  if (Votes(results).size() > 1) return true;  // by different executors, because all are equal
  return std::ranges::any_of(results, [&](const UnitResult& r) {
    return r.alone && std::ranges::any_of(results, [&](const UnitResult& other) {
             return other.executor == r.executor && other.lease != r.lease;
           });
  });
}

std::map<std::string, std::string> Unit::OddOnesOut(uint64_t digest) const {
  std::map<std::string, std::string> odd;
  for (const UnitResult& r : results) {
    if (r.digest != digest) odd.emplace(r.executor, r.token);
  }
  return odd;
}

bool Unit::Settled() const {
  const bool kept = result.staged || result.held;
  return accepted && kept && !disputed() && (!verify || Confirmed());
}

bool Unit::WantsResult() const {
  if (!accepted || disputed() || IsOverdue()) return true;
  return verify && !Confirmed();
}

size_t Unit::LiveLeases() const {
  return static_cast<size_t>(
      std::count_if(leases.begin(), leases.end(), [](const UnitLease& l) { return !l.still; }));
}

bool Unit::SaidNotFinite(const std::string& executor) const {
  return std::any_of(errors.begin(), errors.end(),
                     [&](const UnitError& e) { return e.not_finite && e.executor == executor; });
}

void Unit::AddError(UnitError error) {
  if (errors.size() >= kMostErrors) {
    const auto oldest = failures_.find(errors.front().executor);
    if (oldest != failures_.end() && --oldest->second <= 0) failures_.erase(oldest);
    errors.erase(errors.begin());
  }
  ++failures_[error.executor];
  errors.push_back(std::move(error));
}

void Unit::RecordUndelivered(const std::string& executor) {
  if (failures_.size() < kMostFailed) failures_.try_emplace(executor, 0);
}

bool Unit::IsUnable(const std::string& executor) const {
  const bool stands = std::any_of(leases.begin(), leases.end(), [&](const UnitLease& l) {
    return l.still && l.executor == executor;
  });
  if (stands) return true;
  const auto failures = failures_.find(executor);
  return failures != failures_.end() && failures->second >= kMostFailures;
}

bool Unit::MayCompute(const std::string& executor, Company company) const {
  if (IsUnable(executor)) return false;
  const bool computed = std::any_of(results.begin(), results.end(),
                                    [&](const UnitResult& r) { return r.executor == executor; });
  const bool computing = std::any_of(leases.begin(), leases.end(),
                                     [&](const UnitLease& l) { return l.executor == executor; });
  if (computing) return false;
  // Disputes and confirmations are left to the deciding executors, if any are named.
  const bool second_opinion = disputed() || (accepted && verify && !Confirmed());
  if (second_opinion && deciders != nullptr && !deciders->empty() && !deciders->contains(executor))
    return false;
  if (!computed) return true;
  if (disputed()) return false;
  // Its bytes were lost with a session, another executor delivers too slowly, or no other executor
  // can confirm the master's result.
  return !accepted || (IsOverdue() && !IsHolder(executor)) ||
         (company == Company::kAlone && (result.staged || result.held));
}

void Unit::ForgetSession(uint64_t session, Instant now) {
  expired_.erase(session);
  for (const UnitLease& lease : leases) {
    if (lease.session == session) RecordEnd(lease, storage::LeaseEnd::kLost, now);
  }
  std::erase_if(leases, [&](const UnitLease& l) { return l.session == session; });
  if (Undelivered() && result.holder == session) {
    RecordLostResult();
    accepted = false;
    result = {};
  }
}

bool Unit::Distrust(const std::string& executor, bool summed) {
  EndLeasesOf(executor);
  const bool holds = (!result.staged || summed) &&
                     std::any_of(results.begin(), results.end(), [&](const UnitResult& r) {
                       return r.executor == executor && r.session == result.holder;
                     });
  std::erase_if(results, [&](const UnitResult& r) { return r.executor == executor; });
  const bool confirmed = std::any_of(results.begin(), results.end(), [&](const UnitResult& r) {
    return r.digest == result.digest;
  });
  if (!accepted || (confirmed && !holds)) return false;
  accepted = false;
  result = {};
  return true;
}

bool Unit::HasLease(uint64_t lease, const std::string& executor) const {
  return std::ranges::any_of(
      leases, [&](const UnitLease& l) { return l.lease == lease && l.executor == executor; });
}

void Unit::EndLeasesOf(const std::string& executor) {
  std::erase_if(leases, [&](const UnitLease& l) { return l.executor == executor; });
}

int Unit::ExpireLeases(Instant now) {
  return static_cast<int>(std::erase_if(leases, [&](const UnitLease& l) {
    if (l.expires > now) return false;
    RecordEnd(l, storage::LeaseEnd::kExpired, now);
    expired_[l.session] = l;
    return true;
  }));
}

void Unit::AddLease(UnitLease lease) {
  const auto before = expired_.extract(lease.session);
  if (!before.empty() && lease.granted <= before.mapped().expires + kGoesOn) {
    lease.inherited = true;
    lease.progressed = before.mapped().progressed;
    lease.steps_done = before.mapped().steps_done;
    lease.bytes_moved = before.mapped().bytes_moved;
  }
  leases.push_back(std::move(lease));
}

void Unit::GiveUpDelivery() {
  RecordLostResult();
  accepted = false;
  result = {};
}

}  // namespace dl::master
