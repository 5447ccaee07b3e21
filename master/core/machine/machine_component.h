// The context that all parts of the machine share: the state of the core, and helpers that any part
// may use. A part derives from Component. It gets references to other parts in its struct Uses, and
// only to parts of lower layers (docs/adr/0014-layers-of-the-machine.md). Not thread-safe: all of
// it is used on the core's thread.
#pragma once

#include "master/core/fleet/eligibility.h"
#include "master/core/fleet/fleet.h"
#include "master/core/machine/fleet_changes.h"
#include "master/core/machine/job_records.h"
#include "master/core/machine/jobs.h"
#include "master/core/machine/open_units.h"
#include "master/core/machine/ready_queue.h"
#include "master/core/machine/requests.h"
#include "master/core/master_incarnation.h"
#include "master/core/master_step.h"

namespace dl::master {

struct Context {
  Context(MasterIncarnation& incarnation_, CurrentStep& step_, Fleet& fleet_)
      : incarnation(incarnation_),
        step(step_),
        fleet(fleet_),
        eligibility(incarnation_, step_, fleet_),
        jobs(incarnation_) {}

  MasterIncarnation& incarnation;
  CurrentStep& step;
  Fleet& fleet;
  const Eligibility eligibility;
  Jobs jobs;
  ReadyQueue ready;
  Requests requests;
  JobRecords records{step, fleet};
  OpenUnits open_units{step, jobs};
  FleetChanges fleet_changes{fleet, jobs, ready};
};

class Component {
 public:
  explicit Component(Context& context)
      : incarnation_(context.incarnation),
        step_(context.step),
        fleet_(context.fleet),
        eligibility_(context.eligibility),
        jobs_(context.jobs),
        ready_(context.ready),
        requests_(context.requests),
        records_(context.records),
        open_units_(context.open_units),
        fleet_changes_(context.fleet_changes) {}
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;

 protected:
  ~Component() = default;

  MasterIncarnation& incarnation_;
  CurrentStep& step_;
  Fleet& fleet_;
  const Eligibility& eligibility_;
  Jobs& jobs_;
  ReadyQueue& ready_;
  Requests& requests_;
  JobRecords& records_;
  OpenUnits& open_units_;
  FleetChanges& fleet_changes_;
};

}  // namespace dl::master
