// A unit of the open round or evaluation, with its leases, results and errors. The rules that
// depend only on this value are here: what a result means, when the unit is settled, and which
// executors its history excludes. Eligibility adds the rules that depend on the registered
// executors.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "averaging/accumulator.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/shared.h"
#include "base/status.h"
#include "master/core/job/announcement.h"
#include "master/core/job/unit_times.h"
#include "nn/metrics/metric_sums.h"
#include "rpc/messages.h"
#include "storage/timeline/round_timeline.h"

namespace dl::master {

struct UnitLease {
  uint64_t lease = 0;
  uint64_t session = 0;
  std::string executor;
  Instant granted;
  Instant expires;  // unless a heartbeat renews it
  // When a heartbeat last reported more steps or bytes than before; at first `granted`, or the time
  // from the lease from which it inherits.
  Instant progressed;
  // Maxima over the heartbeats of this lease and of a lease from which it inherits. steps_total is
  // from the last heartbeat.
  int64_t steps_done = 0, steps_total = 0, bytes_moved = 0;
  bool computing = false;  // as of the last heartbeat; false: it waits for the network
  bool still = false;      // stalled: no progress within the job's bound
  // The progress is that of an expired lease of the same session, whose computation may continue.
  bool inherited = false;
};

// The result of one computation. Two different results of one unit violate determinism.
struct UnitResult {
  uint64_t session = 0;
  uint64_t lease = 0;
  std::string executor;
  std::string token;    // Session::accountable_token
  uint64_t digest = 0;  // Announcement::digest
  // No other able executor was registered when it was announced (Eligibility::AnyIsAble).
  bool alone = false;
  // From a commit or an earlier process of the master, so its executor is no longer known:
  // `executor` is Trust::kCommitted or Trust::kUnknownExecutor.
  bool of_the_past = false;
  // The result of the past may have come from this executor, which repeats what it kept. If both
  // are equal, this result has no vote in a dispute and does not confirm the result of the past. If
  // two executors repeat it, only one of them can have given it, so the other one has a vote.
  bool may_repeat_the_past = false;
};

// A lease that has ended, for the figures of the round.
struct UnitRun {
  uint64_t lease = 0;
  std::string executor;
  // Whether it gave a result, and Announcement::digest of the result.
  bool has_result = false;
  uint64_t digest = 0;
  storage::LeaseEnd end{};  // kConfirmed for a result until the unit's result is known
  Instant leased;
  Instant ended;  // when the result was announced, or the lease ended without one
  UnitTimes times;
  Duration sending{};  // from the request for the bytes to their arrival
};

struct UnitError {
  std::string executor;
  std::string token;  // Session::accountable_token
  uint64_t incarnation = 0;
  uint64_t session = 0;
  std::string signature;  // code and place; equal for errors that count as the same
  Status error;
  bool of_unit = true;  // otherwise the executor's fault, which may occur there again
  bool not_finite = false;
  bool hung = false;  // no progress until its process was asked to restart
};

// The content of an accepted announcement.
struct AcceptedResult {
  uint64_t hash = 0;      // XXH3-64 of the contribution's bytes, or of an evaluation's metrics
  uint64_t digest = 0;    // digest of everything that was announced
  uint64_t expected = 0;  // ExpectContribution::number; 0 for evaluation units
  uint64_t holder = 0;    // session that has the bytes
  uint64_t lease = 0;     // names the holder's computation
  // Number of the holder's last heartbeat that listed the unit.
  uint64_t listed_in = 0;
  Instant at;           // when it was accepted, or when a gather needed its bytes again
  bool staged = false;  // the master has, or has added, the bytes (evaluation units: at once)
  bool held = false;    // the holder keeps the bytes until they are gathered
  bool asked = false;   // held: the bytes have been requested
  Instant deliver_by;   // withdrawn then if not staged; heartbeats that list the unit extend it
  Instant asked_for;    // when its bytes were requested; a session delivers in this order
  // When bytes of it, or of a result requested before it, last arrived, or a report of its holder
  // counted as progress; at first `asked_for`.
  Instant progressed;
  // Since when only its own bytes are missing at the master: its session had delivered everything
  // that was requested before. At first `asked_for`, and updated when the delivery is judged.
  Instant turn;
  // Its delivery takes too long in all (Progress::DeliveryBound), so another executor may compute
  // the unit.
  bool overdue = false;
  int32_t replaced = 0;     // number of overdue results that were replaced before this one
  int64_t bytes_moved = 0;  // held and requested: the most that its holder reported as added up
  int32_t words_taken = 0;  // number of these reports that counted as progress since asked_for
  std::vector<rpc::NamedPart> parts;  // parts that the worker keeps
  uint64_t example_hash_sum = 0;
  Shared<nn::MetricSums> metrics;
  Shared<averaging::Magnitudes> magnitudes;
  Shared<std::string> activations;  // histograms (EncodeHistograms); empty: none
};

class Unit {
 public:
  Unit() = default;
  struct Options {
    UnitId id;
    int64_t examples = 0;
    int64_t steps = 0;
    bool verify = false;  // must be confirmed before it is settled (Confirmed)
    // Executors that decide disputes and verifications, if the job names any. Null or empty: every
    // executor has a vote. Must outlive the unit.
    const std::set<std::string>* deciders = nullptr;
  };
  explicit Unit(const Options& options)
      : id(options.id),
        examples(options.examples),
        steps(options.steps),
        verify(options.verify),
        deciders(options.deciders) {}

  enum class Meaning {
    kFirst,          // no result is accepted yet: accept this one
    kRepeated,       // repeated by the holder; its bytes are needed unless staged
    kSame,           // equals the accepted result; may confirm it (Confirmed)
    kDifferent,      // `results` are not all equal, which violates determinism
    kContradictory,  // the executor gave another result before, so it is wrong; not recorded
  };
  // Records the result and returns its meaning. Equal results with the same executor and lease are
  // one computation, however often they are announced. At most two results of an executor are kept
  // that differ only in their lease or session, so their number does not grow with its leases.
  Meaning Record(const UnitResult& result);

  // Records the lease of an announced result. Without a lease, as after a restart of the master, it
  // begins at `opened`, when the unit was opened. A repeated announcement changes nothing.
  void RecordRun(const Announcement& announcement, const std::string& executor, Instant opened,
                 Instant now);
  // Records the end of a lease that gave no result. A later announcement replaces it. Does nothing
  // if the lease has a record.
  void RecordEnd(const UnitLease& lease, storage::LeaseEnd end, Instant now);
  // Records the end of all leases and results of an executor. Does not remove them.
  void RecordEndsOf(const std::string& executor, storage::LeaseEnd end, Instant now);
  // Records that the bytes of the accepted result have arrived.
  void RecordArrival(Instant now);
  bool disputed() const;  // whether two results differ
  // Whether the result of the unit is confirmed. REQUIRES: the unit is not disputed.
  //   - With deciders: one of them gave it.
  //   - Without deciders: two executors gave it. The committed result counts as an executor. The
  //     first result that may only repeat it (UnitResult::may_repeat_the_past) does not count.
  //   - Also without deciders: an executor gave it under two leases, and no other able executor was
  //     registered at one of them (UnitResult::alone).
  bool Confirmed() const;
  // Sets `digest` to the digest that at least two votes, and more than half of all votes, are for.
  // Returns false and leaves `digest` unchanged if there is none yet. An executor has one vote,
  // however often it computed the unit. The committed result counts as an executor. The first
  // result that may only repeat it (UnitResult::may_repeat_the_past) has no vote. If there are
  // deciders, only they have votes, those that may only repeat it have none, and a single vote may
  // be enough.
  bool Majority(uint64_t& digest) const;
  // Returns the executors whose results differ from `digest`, with UnitResult::token. Results of
  // the past give Trust::kCommitted and Trust::kUnknownExecutor, which are no executors.
  std::map<std::string, std::string> OddOnesOut(uint64_t digest) const;
  // Whether the unit can be merged: staged or held, undisputed, and confirmed if necessary.
  bool Settled() const;
  // Whether the unit must be computed (again): it has no accepted result, a confirmation or a third
  // result is missing, or the delivery of its result is overdue.
  bool WantsResult() const;
  // kAlone: no other executor is able to compute the unit, so this executor may confirm its own
  // result. It gets no disputed unit of which it gave a result.
  enum class Company { kAlone, kOthers };
  // Limits, because a unit may be leased to executors with ever new names. Beyond kMostErrors, the
  // oldest of `errors` is dropped and no longer counts as a failure. If kMostFailed executors have
  // failed, RecordUndelivered() does nothing.
  static constexpr size_t kMostErrors = 64;
  static constexpr size_t kMostFailed = 1024;
  static constexpr size_t kMostRuns = 32;
  // Adds an entry to `errors` and counts it as a failure of its executor.
  void AddError(UnitError error);
  // Records that the executor did not deliver the bytes of an accepted result. This counts as a
  // failure for HasFailed() only.
  void RecordUndelivered(const std::string& executor);
  // Whether the executor failed, crashed or hung at this unit, or did not deliver it.
  bool HasFailed(const std::string& executor) const { return failures_.contains(executor); }
  // Whether the executor failed at the unit three times, or has a stalled lease of it.
  bool IsUnable(const std::string& executor) const;
  // Whether the executor reported a value that is not finite.
  bool SaidNotFinite(const std::string& executor) const;
  // Whether a lease exists that makes progress.
  bool HasLiveLease() const { return LiveLeases() > 0; }
  size_t LiveLeases() const;
  // Whether a lease of the unit to the executor would help. It would not in these cases:
  //   - The executor is unable, or has a lease of the unit.
  //   - Deciders are named, the executor is none of them, and the unit is disputed or lacks only a
  //     confirmation.
  //   - The executor gave a result already. It may still compute a unit that is not disputed in
  //     three cases: no result is accepted, because the bytes were lost; the delivery of another
  //     executor is overdue; or, with kAlone, to confirm its own result.
  bool MayCompute(const std::string& executor, Company company) const;

  // The session has ended: removes its leases. Withdraws the accepted result if this session holds
  // it and its bytes have not arrived. Its digest stays in `results`, so the next computation is
  // compared with it.
  void ForgetSession(uint64_t session, Instant now);
  // Removes the leases and results of an executor that is quarantined. Withdraws the accepted
  // result if no other executor gave the same, or if the executor holds its bytes and they are not
  // staged. With `summed`, contributions of the executor came in an unopened sum, so bytes from it
  // are withdrawn even if staged. Returns true if the accepted result was withdrawn.
  bool Distrust(const std::string& executor, bool summed = false);
  bool HasLease(uint64_t lease, const std::string& executor) const;
  // Removes the executor's leases. Does not record their ends (RecordEndsOf).
  void EndLeasesOf(const std::string& executor);
  // Removes leases that expired by `now`, and records their ends. Returns their number.
  int ExpireLeases(Instant now);
  // Adds a lease. If a lease of the same session expired a short time ago, the executor may
  // continue that computation, so the new lease starts with the progress of the old one.
  void AddLease(UnitLease lease);
  // Accepted, and only the holder has the bytes.
  bool Undelivered() const { return accepted && !result.staged; }
  // Undelivered, and the bytes have been requested.
  bool AwaitsBytes() const { return Undelivered() && (!result.held || result.asked); }
  // AwaitsBytes, and the delivery takes too long in all.
  bool IsOverdue() const { return AwaitsBytes() && result.overdue; }
  // Withdraws the accepted result, for example because its bytes did not arrive.
  void GiveUpDelivery();

  UnitId id;
  int64_t examples = 0;
  int64_t steps = 0;
  bool verify = false;
  const std::set<std::string>* deciders = nullptr;
  std::vector<UnitLease> leases;
  std::vector<UnitResult> results;
  std::vector<UnitRun> runs;      // at most kMostRuns (AddRun)
  std::vector<UnitError> errors;  // added by AddError()
  Instant not_before;             // not leased before this time, after an error
  // Since when no registered executor may compute it after errors; nullopt: one may.
  std::optional<Instant> refused_since;
  bool accepted = false;
  AcceptedResult result;

 private:
  std::map<std::string, int> failures_;    // number of `errors` by executor; 0: only undelivered
  std::map<uint64_t, UnitLease> expired_;  // last expired lease by session

  // Adds a result, or replaces the other of two that differ from it only in lease and session.
  void Keep(const UnitResult& kept);
  // Drops the oldest run without a result if there are kMostRuns, else the oldest that is not the
  // accepted result.
  void AddRun(UnitRun run);
  // Records that the accepted result did not arrive.
  void RecordLostResult();
  // Whether the executor has the bytes of the accepted result.
  bool IsHolder(const std::string& executor) const;
};

}  // namespace dl::master
