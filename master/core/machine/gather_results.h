// Handles the engine's answers about requested contributions: they were added, were refused, or
// contradict their announcements.
#pragma once

#include "master/core/machine/backoffs.h"
#include "master/core/machine/failures.h"
#include "master/core/machine/gathering.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/trust.h"
#include "master/core/machine/unit_progress.h"

namespace dl::master {

class GatherResults : public Component {
 public:
  struct Uses {
    Backoffs& backoffs;
    Failures& failures;
    Gathering& gathering;
    Progress& progress;
    Trust& trust;
  };
  GatherResults(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // Marks the contributions as staged, or requests the contributions of an opened sum. Then
  // requests the next ones, or starts the merge after the last. Ignores cancelled requests.
  void On(const Gathered& event);
  // Withdraws the results of the request, so that their units are computed again. Counts the
  // failure against the sender, except if the master lacked memory or files. Ignores cancelled
  // requests.
  void On(const GatherRefused& event);
  // Quarantines the sender of the sum and reopens the round. Ignores cancelled requests.
  void On(const SumContradicted& event);

 private:
  const Uses uses_;
};

}  // namespace dl::master
