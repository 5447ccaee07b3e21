// What executors send, chunk by chunk: contributions that were accepted or gathered, and parts of
// states that they offer. A contribution is verified on the thread that brought its last chunk, a
// part piece by piece on those that bring them, before the merge thread or the core hears of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/status.h"
#include "master/core/events.h"
#include "master/merge/job_state.h"
#include "master/merge/merge_work.h"
#include "master/merge/receiver.h"
#include "master/merge/running_jobs.h"
#include "rpc/messages.h"

namespace dl::master {

// Thread-safe.
class Receiving {
 public:
  // These outlive it.
  Receiving(RunningJobs& jobs, MergeWork& merges, const std::function<void(Event)>& post)
      : jobs_(jobs), merges_(merges), post_(post) {}

  StatusOr<rpc::ContributionReply> Contribute(const rpc::ContributionChunk& chunk);
  // A whole one, which is taken as it is.
  StatusOr<rpc::ContributionReply> Contribute(uint64_t session, const UnitId& unit, uint64_t hash,
                                              SharedVector vector);
  Status OfferPart(const rpc::OfferChunk& chunk);

 private:
  // A contribution that the core expects, and who sends it.
  struct Sent {
    UnitId unit;
    uint64_t number = 0;
    uint64_t session = 0;
  };

  // Keeps what is whole and verified, for the merge, and tells the core.
  rpc::ContributionReply Stage(const RunningJobs::Data& data, const Sent& sent,
                               SharedVector vector);
  void NoteArrival(const rpc::ContributionChunk& chunk, const Receiver::Taken& taken,
                   uint64_t number);
  StatusOr<rpc::ContributionReply> ContributeGathered(const rpc::ContributionChunk& chunk);

  RunningJobs& jobs_;
  MergeWork& merges_;
  const std::function<void(Event)>& post_;
};

}  // namespace dl::master
