// The units that are here, in the order of their names, from their lease until nobody needs their
// result any more; and what their results take.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "executor/core/current_step.h"
#include "executor/core/work.h"

namespace dl::executor {

class Units {
 public:
  explicit Units(CurrentStep& step) : step_(step) {}
  Units(const Units&) = delete;
  Units& operator=(const Units&) = delete;

  std::map<UnitId, Work>& all() { return all_; }
  const std::map<UnitId, Work>& all() const { return all_; }
  Work* Find(const UnitId& unit);
  // In that stage, if it is still that computation's.
  Work* Find(const UnitId& unit, uint64_t computation, Stage stage);

  Work& Add(const rpc::Lease& lease);
  // If it is here. Of one that is computed the thread comes back later.
  void Drop(const UnitId& unit);
  void DropWhere(const std::function<bool(const UnitId&, const Work&)>& unwanted);
  // None is asked for by a session that is over. The next one has accepted nothing yet: what was
  // not delivered is announced again.
  void LeaveSession();

  int32_t Waiting() const;
  bool AnyUnfinished() const;  // that the master wants something of
  Instant NextToBegin() const;
  Instant NextToSend() const;  // a result, or a failure

  // ---- results.cc ----
  int64_t UndeliveredBytes() const;
  int64_t RetainedBytes() const;
  void Retain(Work& work, uint64_t session);
  // Until all results are at most so many bytes, or none is left that is only kept.
  void LetGoOfRetained(int64_t result_bytes);

 private:
  CurrentStep& step_;
  std::map<UnitId, Work> all_;
  uint64_t retained_ = 0;  // how many results were taken
};

}  // namespace dl::executor
