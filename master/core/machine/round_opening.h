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

  // Opens the round after job.at and creates its units. If the round is computed again, adds the
  // results in its commit to the units. Also adds the results of the dispute because of which the
  // job rolled back (Attestations::votes). Executors that hold results of the round are preferred
  // for these units. If the round is computed again and its commit is not in memory, only requests
  // the commit (Preparations::ReadAhead). REQUIRES: the state of job.at exists.
  void OpenNextRound(Job& job);

 private:
  void TakeVotes(Job& job, int64_t round);
  void PreferHolders(Job& job, int64_t round);

  const Uses uses_;
};

}  // namespace dl::master
