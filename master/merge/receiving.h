// Receives data of executors chunk by chunk: contributions that were accepted or gathered, and
// offered parts of states. A contribution is verified on the thread that received its last chunk; a
// part is verified piece by piece on arrival. The merge thread and the core see only verified data,
// and vectors of executors in this process, which are not verified.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/status.h"
#include "master/core/master_events.h"
#include "master/merge/merge_work.h"
#include "master/merge/receiver.h"
#include "master/merge/round_state.h"
#include "master/merge/running_jobs.h"
#include "rpc/messages.h"

namespace dl::master {

// Thread-safe.
class Receiving {
 public:
  // All of these must outlive this object.
  Receiving(RunningJobs& jobs, MergeWork& merges, const std::function<void(Event)>& post)
      : jobs_(jobs), merges_(merges), post_(post) {}

  // See MergeEngine for these functions.
  StatusOr<rpc::ContributionReply> Contribute(const rpc::ContributionChunk& chunk);
  // Accepts a complete vector without a copy.
  StatusOr<rpc::ContributionReply> Contribute(uint64_t session, const UnitId& unit, uint64_t hash,
                                              SharedVector vector);
  Status OfferPart(const rpc::OfferChunk& chunk);

 private:
  // A contribution that the core expects, and its sender.
  struct Sent {
    UnitId unit;
    uint64_t number = 0;
    uint64_t session = 0;
  };

  // Keeps a complete and verified vector for the merge, and informs the core.
  rpc::ContributionReply Stage(const RunningJobs::Data& data, const Sent& sent,
                               SharedVector vector);
  void RecordArrival(const rpc::ContributionChunk& chunk, const Receiver::TakeResult& taken,
                     uint64_t number);
  StatusOr<rpc::ContributionReply> ContributeGathered(const rpc::ContributionChunk& chunk);

  RunningJobs& jobs_;
  MergeWork& merges_;
  const std::function<void(Event)>& post_;
};

}  // namespace dl::master
