// Detects executors that send heartbeats but deliver nothing, or deliver too slowly. A heartbeat is
// no evidence of progress: a unit progresses if its steps or bytes increase. A unit without
// progress may be leased to another executor. Its executor is backed off, and later asked to
// restart.
//
// Bytes that arrive in time extend a delivery, so a delivery also has a bound in all
// (DeliveryBound). After it, the delivery continues, but an executor with a free slot may compute
// the unit. The result that is complete first is used: either the slow delivery ends before another
// executor has computed the unit, or the equal result of that executor replaces the slow one. The
// slow executor is not backed off for it, unless others overtake it at three units in a row
// (Backoffs). If no other executor is faster, nothing is withdrawn.
#pragma once

#include <string>

#include "master/core/machine/backoffs.h"
#include "master/core/machine/failures.h"
#include "master/core/machine/machine_component.h"

namespace dl::master {

class Progress : public Component {
 public:
  struct Uses {
    Backoffs& backoffs;
    Failures& failures;
  };
  Progress(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // How long a unit may show no progress before it counts as stalled: JobDefinition::progress, or
  // ten times the job's typical unit if that is longer.
  static Duration ProgressBound(const Job& job);
  // How long a unit may show no progress until its executor is asked to restart: ten times
  // ProgressBound() if the duration of units is unknown. Otherwise twice ProgressBound() if another
  // eligible executor exists that is not backed off, else ProgressBound().
  Duration RestartBound(const Job& job, const Session& session) const;
  // Returns the longest time that RestartBound may return for an executor of the job.
  static Duration LongestRestartBound(const Job& job);
  // How long the delivery of a result may take in all, from its turn (AcceptedResult::turn):
  //   - ProgressBound() plus three times the median of deliveries of the job, if another executor
  //     has delivered. Each executor counts once, with its last delivery.
  //   - Otherwise ten times ProgressBound(), plus a second for each MiB.
  // Each replaced result of the unit doubles it, so that a network that is slow for all executors
  // delivers the unit at last. Gathered results have no such bound.
  Duration DeliveryBound(const Job& job, const AcceptedResult& result) const;
  // The bytes of the unit's result are complete. Records how long its delivery took. REQUIRES: the
  // session is the result's holder.
  void RecordDelivered(Job& job, Session& session, const AcceptedResult& result);
  // Updates the progress of a leased unit from a heartbeat.
  void RecordProgress(UnitLease& lease, const rpc::UnitProgress& progress);
  // Updates the progress of an accepted result that its holder adds up with others. The master
  // cannot observe the addition, so the holder's reports count, but only a limited number of times.
  void RecordProgress(AcceptedResult& result, const Job& job,
                      const rpc::UnitProgress& progress) const;
  // Counts bytes of an accepted result that the master received for the first time as progress.
  // Withdraws the result and backs off its sender if a delivery begins after five in a row that
  // brought no new bytes.
  void On(const BytesArrived& event);
  // Bytes of a result that was requested at `asked_for` have arrived from the session. This also
  // counts as progress of results that were requested later, because they wait for it. Their
  // AcceptedResult::progressed is updated only when their deadline passes or a heartbeat lists
  // them, because a session may have thousands of them.
  void RecordArrival(Session& session, Instant asked_for);
  // Updates the progress of a unit that is computed without a lease. Returns whether it still
  // progresses.
  bool RecordProgress(Unleased& unit, const Job& job, const rpc::UnitProgress& progress) const;
  // Marks leases of the unit that have stalled, and a delivery that takes too long in all, so that
  // other executors may lease it. Withdraws its accepted result if the delivery has stalled. Backs
  // off the executors that stall, and asks them to restart after RestartBound(). May request to
  // FAIL the job (Failures::RecordHung).
  void FindStalls(Job& job, Unit& unit);

 private:
  void ApplyArrivals(AcceptedResult& result) const;
  void TakeBackUndelivered(Job& job, Unit& unit, const std::string& why);

  const Uses uses_;
};

}  // namespace dl::master
