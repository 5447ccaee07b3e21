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
  Work* Find(const UnitId& unit);
  // Returns the unit if it is in this stage and belongs to this computation, else null.
  Work* Find(const UnitId& unit, uint64_t computation, Stage stage);

  // Adds a leased unit in stage kWaiting, which may start now. REQUIRES: the unit is not here.
  Work& Add(const rpc::Lease& lease);
  // Drops the unit and its result, if it is here. If it is running, its computation is aborted and
  // its thread returns later.
  void Drop(const UnitId& unit);
  void DropWhere(const std::function<bool(const UnitId&, const Work&)>& unwanted);
  // Must be called when a session has ended. Its calls in flight are given up. The next session has
  // accepted nothing yet, so undelivered results are announced again.
  void LeaveSession();

  // Number of units in stage kWaiting.
  int32_t Waiting() const;
  // Whether a unit is not computed, or its result or failure is not delivered yet. A held result is
  // delivered when a gather has sent it in this session.
  bool AnyUnfinished() const;
  // Time at which a waiting unit may start; Instant::Max() if none waits.
  Instant NextToBegin() const;
  Instant NextToSend() const;  // when a result or failure is due next

  // ---- results.cc ----
  // Bytes of results that are being announced or sent, and of results that are retained.
  int64_t UndeliveredBytes() const;
  int64_t RetainedBytes() const;
  // Marks a result as accepted by the master in this session.
  void Retain(Work& work, uint64_t session);
  // Drops retained results, oldest first, until undelivered and retained results together have at
  // most `result_bytes` bytes. Held results do not count.
  void DropRetainedAbove(int64_t result_bytes);

 private:
  CurrentStep& step_;
  std::map<UnitId, Work> all_;
  uint64_t retained_ = 0;  // how many results were taken
};

}  // namespace dl::executor
