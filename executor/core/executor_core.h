// Control logic of an executor as a pure state machine: what to send to the master and what to run,
// given the answers and results so far. It has no threads, I/O or clock. The executor's shell and
// the simulator run the same code.
//
// Stages of a unit: leased -> running -> announcing -> sending -> retained. In a gathered round:
// announcing -> held. A retained or held result is dropped when a later round is committed, or when
// the master abandons the unit. A unit whose
// job, input state or data did not arrive waits and is retried. A unit is a pure function, so the
// loss of a session does not stop it: its result is announced in the next session. The next session
// may be with another master whose job has the same name by chance. Therefore a result belongs to
// the job spec that it was computed for, identified by its SHA-256, and is never returned for a
// lease of another spec.
//
// Core passes each event to the component responsible for it, and afterwards performs what is due.
// It handles requests to leave and the ends of sessions itself. The components are:
//   units.h            units that this executor has.
//   core_component.h   state that all components share.
//   registration.h     begins sessions with the master, and ends them with a goodbye.
//   slots.h            tracks which thread computes which unit.
//   gather_requests.h  sends results of a round to the master, as sums or one by one.
//   offers.h           offers states to the master.
//   delivery.h         delivers results and failures to the master.
//   computing.h        starts units and handles their end.
//   lease_requests.h   asks for work.
//   heartbeats.h       reports progress and receives requests of the master.
//
// Each component may use only the components above it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "executor/core/computing.h"
#include "executor/core/core_component.h"
#include "executor/core/delivery.h"
#include "executor/core/executor_core_options.h"
#include "executor/core/executor_events.h"
#include "executor/core/gather_requests.h"
#include "executor/core/heartbeats.h"
#include "executor/core/lease_requests.h"
#include "executor/core/offers.h"
#include "executor/core/registration.h"
#include "executor/core/slots.h"

namespace dl::executor {

class Core {
 public:
  Core(CoreOptions options, Instant now) : context_(std::move(options), now) {}

  // Processes one event and returns its effects, in order. `now` must not go back. Not thread-safe.
  std::vector<Effect> Step(const Event& event, Instant now);
  // Returns when the next Tick is due; Instant::Max() if nothing is due.
  Instant NextDeadline() const;

  uint64_t session() const { return context_.session; }  // 0: no session
  // Bytes of all results here, except held results.
  int64_t result_bytes() const {
    return context_.units.UndeliveredBytes() + context_.units.RetainedBytes();
  }

 private:
  void Apply(const Event& event);
  void LeaveOnRequest();  // the master asked the executor to leave
  void Drain();
  void LeaveSession();
  // Returns whether the answer belongs to this session and does not end it.
  bool IsCurrentSession(uint64_t session, const Status& status);
  // Performs everything that is due now and not yet in flight.
  void Act();

  Context context_;
  Registration registration_{context_};
  Slots slots_{context_};
  Gathering gathering_{context_};
  Offers offers_{context_};
  Delivery delivery_{context_, slots_, gathering_};
  Computing computing_{context_, slots_};
  Leasing leasing_{context_, slots_, gathering_};
  Heartbeats heartbeats_{context_, slots_, gathering_, offers_};
};

}  // namespace dl::executor
