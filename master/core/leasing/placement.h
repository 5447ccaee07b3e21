// Chooses the unit that an executor gets. The affinity of workers to executors (Affinity) is a
// preference and never a condition: an executor without a unit of its own workers gets another one.
// fleet/eligibility.h decides which executors may compute a unit at all. Queries only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "master/core/leasing/left_units.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/upkeep.h"

namespace dl::master {

class Placement : public Component {
 public:
  Placement(Context& context, const Upkeep& upkeep)
      : Component(context), upkeep_(upkeep), left_units_(context) {}

  struct Work {
    const Job* job = nullptr;
    const Unit* unit = nullptr;
    bool second = false;     // another executor computes it already
    bool held_back = false;  // `job` is null, because memory is kept free for an idle job's unit
  };
  // Returns the next unit for the executor; `job` is null if there is none. The highest priority
  // comes first, then idle jobs (without a running unit), then the owner with the fewest running
  // units, then that owner's job with the fewest. Within a job, the executor gets the first open
  // unit whose worker was leased last to it or to no executor (Affinity). If no such unit exists,
  // it gets the first open unit. A second lease of a straggling unit is given only if there is no
  // other work.
  //
  // A job with as many executors as it permits gets no other executor. An executor that the job
  // holds off (Job::HoldsOff) gets none of its units. An executor that is backed off
  // (Fleet::IsBackedOff) gets a unit only if no reliable executor may lease it (LeftUnits).
  //
  // If units of several jobs do not fit side by side, the jobs take turns: among idle jobs, the one
  // that was leased longest ago is first. If its unit does not fit yet, the executor starts no
  // other unit of this or a lower priority until it does. Otherwise small units could keep a large
  // one waiting forever.
  Work FindWork(const Session& session) const;
  // Whether the session may get work at all: connected, not quarantined, and asked neither to
  // restart nor to leave.
  bool IsServed(const Session& session) const;
  // Returns Internal if what is known of units that reliable executors leave is outdated.
  Status CheckLeftUnits() const { return left_units_.Check(); }

 private:
  std::vector<const Job*> Order() const;
  bool TakesNoMore(const Session& session, const Job& job) const;
  int64_t RoomOf(const Session& session) const;
  bool IsFor(const Session& session, const Job& job, const Unit& unit) const;
  const Unit* FirstFor(const Session& session, Job& job) const;
  const Unit* FirstStraggler(const Session& session, Job& job) const;

  const Upkeep& upkeep_;
  mutable LeftUnits left_units_;  // computed when they are needed
};

}  // namespace dl::master
