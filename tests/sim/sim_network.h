// Calls to the master over a network that delays, loses, repeats and reorders. Each call is
// answered exactly once: by the reply, by a broken connection, or by its deadline. In the last two
// cases it is unknown whether the call was executed.
#pragma once

#include <functional>
#include <memory>

#include "base/philox.h"
#include "base/status.h"
#include "tests/sim/sim_master_process.h"
#include "tests/sim/virtual_time.h"

namespace dl::sim {

struct NetworkFaults {
  Duration longest_delay = std::chrono::milliseconds(2);
  double loss = 0;       // probability of losing a request or a reply
  double duplicate = 0;  // probability that a request arrives twice
  double late = 0;       // probability that a request arrives after its caller may have given up
  // Maximum number of bytes after which a connection is cut; 0: connections are not cut.
  int64_t longest_stream = 0;
};

class Network {
 public:
  Network(VirtualTime* time, uint64_t seed) : time_(time), random_({.seed = seed, .a = 3}) {}

  NetworkFaults faults;
  std::unique_ptr<MasterProcess>* master = nullptr;  // points to null while the process is down

  template <typename ReplyType>
  using Done = std::function<void(StatusOr<ReplyType>)>;
  template <typename ReplyType>
  using Deliver = std::function<void(MasterProcess&, Done<ReplyType>)>;

  // `post` runs an action in the caller's process, if the process still exists.
  template <typename ReplyType>
  void Call(bool cut_off, std::function<void(std::function<void()>)> post, Duration deadline,
            Deliver<ReplyType> deliver, Done<ReplyType> done) {
    auto open = std::make_shared<bool>(true);  // shared by everything that may answer the call
    Done<ReplyType> finish = [open, post, done](StatusOr<ReplyType> result) {
      if (!*open) return;
      *open = false;
      post([done, result = std::move(result)] { done(result); });
    };
    time_->After(deadline,
                 [finish] { finish(DeadlineExceeded({.message = "no answer in time"})); });
    if (cut_off || Happens(faults.loss)) return Break(finish);
    const int copies = Happens(faults.duplicate) ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      const Duration late =
          Happens(faults.late) ? std::chrono::milliseconds(random_.Bounded(9000)) : Duration{};
      time_->After(Delay() + late, [this, deliver, finish] {
        if (!*master) return finish(Unavailable({.message = "connection refused"}));
        deliver(**master, [this, finish](StatusOr<ReplyType> result) {
          if (Happens(faults.loss)) return Break(finish);
          time_->After(Delay(), [finish, result = std::move(result)] { finish(result); });
        });
      });
    }
  }

  Duration Delay() {
    return Duration(static_cast<int64_t>(
        random_.Bounded(static_cast<uint64_t>(faults.longest_delay.count()) + 1)));
  }

 private:
  bool Happens(double probability) { return probability > 0 && random_.NextDouble() < probability; }
  // A lost message is a broken connection, noticed at once or never.
  template <typename Finish>
  void Break(const Finish& finish) {
    if (random_.Bounded(2) == 0)
      time_->After(Delay(), [finish] { finish(Unavailable({.message = "connection reset"})); });
  }

  VirtualTime* time_;
  RandomStream random_;
};

}  // namespace dl::sim
