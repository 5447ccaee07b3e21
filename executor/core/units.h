// The units that this executor has, ordered by name, from their lease until their result is no
// longer needed. Also counts the bytes of their results.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "executor/core/executor_step.h"
#include "executor/core/work.h"

namespace dl::executor {

class Units {
 public:
  explicit Units(CurrentStep& step) : step_(step) {}
  Units(const Units&) = delete;
  Units& operator=(const Units&) = delete;

  // All units by name. A caller must not drop units while it iterates.
  std::map<UnitId, Work>& all() { return all_; }
  const std::map<UnitId, Work>& all() const { return all_; }
  // Returns the unit; null if this executor does not have it.
  Work* Find(const UnitId& unit);
  // Returns the unit if it is in this stage and belongs to this computation (Work::computed_under),
  // else null.
  Work* Find(const UnitId& unit, uint64_t computation, Stage stage);

  // Adds a leased unit in stage kWaiting, which may start now. REQUIRES: the unit is not here.
  Work& Add(const rpc::Lease& lease);
  // Drops the unit and its result, if the unit is here. Aborts the computation of a running unit,
  // whose thread becomes free later (Slots::RecordThreadFree).
  void Drop(const UnitId& unit);
  void DropWhere(const std::function<bool(const UnitId&, const Work&)>& unwanted);
  // Must be called when a session has ended. Gives up the calls that are in flight. Results that
  // were being sent or were held are announced again in the next session, even if a gather has sent
  // them. Retained results stay retained.
  void LeaveSession();

  // Number of units in stage kWaiting.
  int32_t Waiting() const;
  // Whether there is a unit that is not computed yet, or whose result or failure is not delivered
  // yet. A held result counts as delivered after a gather has sent it in this session.
  bool AnyUnfinished() const;
  // Time at which the next waiting unit may start; Instant::Max() if none waits.
  Instant NextToBegin() const;
  // Time at which the next announcement, result or failure must be sent; Instant::Max() if none
  // must be sent, or if all of them are in flight.
  Instant NextToSend() const;

  // ---- results.cc ----
  // Bytes of results that are being announced or sent, and of results that are retained.
  int64_t UndeliveredBytes() const;
  int64_t RetainedBytes() const;
  // Marks a result whose bytes the master has received in this session as retained.
  void Retain(Work& work, uint64_t session);
  // Drops retained results, oldest first, until undelivered and retained results together have at
  // most `result_bytes` bytes. Held results do not count.
  void DropRetainedAbove(int64_t result_bytes);

 private:
  CurrentStep& step_;
  std::map<UnitId, Work> all_;
  uint64_t retained_ = 0;  // number of calls of Retain
};

}  // namespace dl::executor
