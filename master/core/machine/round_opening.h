// Opens the rounds of a job.
#pragma once

#include "master/core/machine/machine_component.h"
#include "master/core/machine/preparations.h"
#include "master/core/machine/trust.h"

namespace dl::master {

class RoundOpening : public Component {
 public:
  struct Uses {
    Preparations& preparations;
    Trust& trust;
  };
  RoundOpening(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // Opens the round after job.at and creates its units. Adds to the units the results in the
  // round's commit, if it is computed again, and those of a dispute that rolled the job back to it.
  // Executors that hold results of the round are preferred for these units. If the commit is not in
  // memory, requests it instead (Preparations::ReadAhead). REQUIRES: the state of job.at exists.
  void OpenNextRound(Job& job);

 private:
  void TakeVotes(Job& job, int64_t round);
  void PreferHolders(Job& job, int64_t round);

  const Uses uses_;
};

}  // namespace dl::master
