// An executor's control logic as a pure state machine: what to say to the master and what to run,
// given what was heard and what finished. No thread, no I/O, no clock: the executor's shell and the
// simulator drive the very same code.
//
// A unit's way: leased -> running -> announcing -> sending -> retained until its round is
// committed. One that could not begin, because what it starts from did not arrive, waits and is
// tried again. A unit is a pure function, so losing the session never stops it: its result is
// announced in the next session. The next session may be one with another master whose job has the
// same name by chance: a result belongs to the job spec that it was computed for, named by its
// SHA-256, and serves no lease of another one.
//
// Here events are only handed to the room that they are for, and behind each what is due is done:
//   units.h         the units that are here; room.h: what else all rooms see
//   registration.h  sessions with the master begin, and end with a goodbye
//   slots.h         what threads are at
//   gathering.h     what the master fetches of a round's results as sums
//   delivery.h      results and failures go to the master
//   computing.h     units begin and end
//   leasing.h       the executor asks for work
//   heartbeats.h    it says what it is at, and hears what is asked of it
// Each room uses those above it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "executor/core/computing.h"
#include "executor/core/core_options.h"
#include "executor/core/delivery.h"
#include "executor/core/events.h"
#include "executor/core/gathering.h"
#include "executor/core/heartbeats.h"
#include "executor/core/leasing.h"
#include "executor/core/registration.h"
#include "executor/core/room.h"
#include "executor/core/slots.h"

namespace dl::executor {

class Core {
 public:
  Core(CoreOptions options, Instant now) : ground_(std::move(options), now) {}

  std::vector<Effect> Step(const Event& event, Instant now);
  Instant NextDeadline() const;

  uint64_t session() const { return ground_.session; }
  // Of the results that are here, but for those that are held.
  int64_t result_bytes() const {
    return ground_.units.UndeliveredBytes() + ground_.units.RetainedBytes();
  }

 private:
  void Apply(const Event& event);
  void LeaveAsAsked();  // by the master
  void Drain();
  void LeaveSession();
  // Whether the answer is one to this session, and does not say that it is over.
  bool StillIn(uint64_t session, const Status& status);
  // Whatever is due now and not on its way yet.
  void Act();

  Ground ground_;
  Registration registration_{ground_};
  Slots slots_{ground_};
  Gathering gathering_{ground_};
  Delivery delivery_{ground_, slots_, gathering_};
  Computing computing_{ground_, slots_};
  Leasing leasing_{ground_, slots_, gathering_};
  Heartbeats heartbeats_{ground_, slots_, gathering_};
};

}  // namespace dl::executor
