// One unit of the open round and everything that is known about it. All rules of acceptance are
// here, as functions of this value: who may compute it, what a result means, when it is good.
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
#include "nn/metrics/metric_sums.h"
#include "rpc/messages.h"

namespace dl::master {

struct UnitLease {
  uint64_t lease = 0;
  uint64_t session = 0;
  std::string executor;
  Instant granted;
  Instant expires;     // unless its session is heard
  Instant progressed;  // when a heartbeat last said more steps or bytes than the ones before
  int64_t steps_done = 0, steps_total = 0, bytes_moved = 0;  // the most that heartbeats said
  bool computing = false;  // what the last one said: else it waits for what has to come or go
  bool still = false;      // no progress for the job's bound: it holds nobody up any more
  // The progress is that of an expired lease of the same session, whose computation may go on.
  bool inherited = false;
};

// What one executor computed; two different hashes for one unit are a determinism violation.
struct UnitResult {
  uint64_t session = 0;
  uint64_t lease = 0;
  std::string executor;
  std::string token;    // Session::accountable_token
  uint64_t digest = 0;  // Announcement::digest
  bool alone = false;   // nobody else was there who could have computed it
  // What a commit or an earlier life of the master says: whose word that was is not known any more.
  bool of_the_past = false;
  // It may have been this executor's alone, which repeats it out of what it kept.
  bool may_repeat_the_past = false;
};

struct UnitError {
  std::string executor;
  std::string token;  // Session::accountable_token
  uint64_t incarnation = 0;
  uint64_t session = 0;
  std::string signature;  // code and place: errors that are "the same" have the same one
  Status error;
  bool of_unit = true;  // else the executor's own fault: it may not get better there
  bool not_finite = false;
  bool hung = false;  // the computation made no progress until its process was told to restart
};

// What an accepted announcement said.
struct AcceptedResult {
  uint64_t hash = 0;      // of the contribution's bytes
  uint64_t digest = 0;    // of everything that was announced
  uint64_t expected = 0;  // number of the expectation of its bytes
  uint64_t holder = 0;    // session that has the bytes
  // Number of the holder's last heartbeat that listed the unit.
  uint64_t listed_in = 0;
  Instant at;
  bool staged = false;      // the master has the bytes, verified (evaluation units: at once)
  bool held = false;        // the holder keeps them until they are gathered
  bool asked = false;       // held: now they are
  Instant deliver_by;       // while they are not staged: how long the holder may be silent
  Instant asked_for;        // when its bytes were: deliveries of a session go on in this order
  Instant progressed;       // when bytes of it, or of a delivery before it, last arrived
  int64_t bytes_moved = 0;  // held and asked: the most that its holder said to have added up
  int32_t words_taken = 0;  // likewise: how often that counted as progress
  std::vector<rpc::NamedPart> parts;  // that the worker keeps to itself
  uint64_t example_hash_sum = 0;
  Shared<nn::MetricSums> metrics;
  Shared<averaging::Magnitudes> magnitudes;
};

class Unit {
 public:
  Unit() = default;
  struct Options {
    UnitId id;
    int64_t examples = 0;
    int64_t steps = 0;
    bool verify = false;  // wants two equal results
    // Executors whose word decides, where the job names any: a dispute and a verification wait for
    // one of them. Null or empty: everybody has a vote. Outlives the unit.
    const std::set<std::string>* deciders = nullptr;
  };
  explicit Unit(const Options& options)
      : id(options.id),
        examples(options.examples),
        steps(options.steps),
        verify(options.verify),
        deciders(options.deciders) {}

  enum class Meaning {
    kFirst,      // accept it: this result's bytes are wanted
    kRepeated,   // the holder says it again: its bytes are still wanted unless staged
    kSame,       // equals the accepted one: confirms it
    kDifferent,  // a determinism violation
  };
  // Records the result (once per executor and lease: one computation, however often it is
  // announced) and says what it means.
  Meaning Record(const UnitResult& result);

  bool disputed() const;
  // Two executors gave the same, or one that decides did; of one that is alone, its own second
  // result, under another lease.
  bool Confirmed() const;
  // The digest that at least two executors, and more than half of the votes, agree on; false when
  // there is none yet. An executor has one vote for each hash that it gave.
  bool Majority(uint64_t& digest) const;
  // Executors whose results differ from `digest`, with UnitResult::token.
  std::map<std::string, std::string> OddOnesOut(uint64_t digest) const;
  // Good for the merge: staged or held, undisputed, confirmed if it has to be.
  bool Settled() const;
  // Somebody has to compute it (again): nobody has an accepted result, or confirmation or a third
  // opinion is missing.
  bool WantsResult() const;
  // kAlone: no other executor could, so it may confirm its own result (never settle a dispute).
  enum class Company { kAlone, kOthers };
  // A unit may be leased to executors with ever new names. So these are bounded: entries of
  // `errors`, of which the oldest goes, and executors that count as failed at the unit.
  static constexpr size_t kMostErrors = 64;
  static constexpr size_t kMostFailed = 1024;
  // Adds an entry to `errors`.
  void AddError(UnitError error);
  // Its result was accepted and did not arrive. It counts as a failure for HasFailed() alone.
  void RecordUndelivered(const std::string& executor);
  // The executor failed, crashed or hung at this unit, or did not deliver it, at least once.
  bool HasFailed(const std::string& executor) const { return failures_.contains(executor); }
  // It failed here so often that it is not asked again, or its lease stands still.
  bool IsUnable(const std::string& executor) const;
  bool SaidNotFinite(const std::string& executor) const;
  // Somebody computes it, and it goes on.
  bool HasLiveLease() const { return LiveLeases() > 0; }
  size_t LiveLeases() const;
  bool MayCompute(const std::string& executor, Company company) const;

  // The session is gone: its leases end; an accepted result whose bytes had not arrived is
  // forgotten (its hash stays in `results`, so whoever computes it again is checked against it).
  void ForgetSession(uint64_t session);
  // Nothing of this executor is trusted any more: its leases and results go, and what was accepted
  // from it alone. With `summed` its contributions came in a sum that nobody opened, and they go
  // however many confirmed them. True when an accepted result was taken back.
  bool Distrust(const std::string& executor, bool summed = false);
  bool HasLease(uint64_t lease, const std::string& executor) const;
  void EndLease(uint64_t lease);
  void EndLeasesOf(const std::string& executor);
  // Ends leases that ran out by `now`; returns how many did.
  int ExpireLeases(Instant now);
  // Adds a lease. If a lease of the same session expired a short time ago, the executor may go on
  // with that computation, so the new lease begins with the progress of the old one.
  void AddLease(UnitLease lease);
  // Accepted, and the bytes are with the holder alone.
  bool Undelivered() const { return accepted && !result.staged; }
  // Of those, that they should be on their way.
  bool AwaitsBytes() const { return Undelivered() && (!result.held || result.asked); }
  // Forgets an accepted result whose bytes did not come.
  void GiveUpDelivery();

  UnitId id;
  int64_t examples = 0;
  int64_t steps = 0;
  bool verify = false;
  const std::set<std::string>* deciders = nullptr;
  std::vector<UnitLease> leases;
  std::vector<UnitResult> results;
  std::vector<UnitError> errors;         // AddError() adds to it
  Instant not_before;                    // backing off after an error
  std::optional<Instant> refused_since;  // no registered executor may compute it
  bool accepted = false;
  AcceptedResult result;

 private:
  std::map<std::string, int> failures_;    // number of `errors` of each executor
  std::map<uint64_t, UnitLease> expired_;  // the last one of each session
};

}  // namespace dl::master
