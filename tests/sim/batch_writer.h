// The master's writer on virtual time: one batch after the other, of what was stepped meanwhile;
// what waits for a batch leaves when that is durable, which takes its time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/philox.h"
#include "master/core/events.h"
#include "tests/sim/agenda.h"
#include "tests/sim/disk.h"

namespace dl::sim {

class BatchWriter {
 public:
  struct Options {
    VirtualTime* time = nullptr;
    Disk* disk = nullptr;
    RandomStream* random = nullptr;  // of the master's process
    // Probabilities: that a batch ends the process, before or behind it; that it takes up to 1.5 s,
    // not up to 3 ms.
    double death_at_write = 0;
    double slow_write = 0;
    std::function<void(const storage::MetaBatch&)> durable;
    std::function<void(const std::vector<master::Effect>&)> release;
    std::function<void()> may_stop;  // everything is written
    std::function<void()> died;
    std::function<void(std::string)> breach;
  };
  explicit BatchWriter(Options options) : options_(std::move(options)), agenda_(options_.time) {}

  // What leaves behind the batch, or has left ahead of it; with the next one.
  void Write(const master::Output& output, bool ready_to_stop);
  // Whether something is published that is not on the disk yet.
  bool ahead_of_log() const { return next_.published_ahead || being_written_.published_ahead; }

 private:
  struct Unwritten {
    storage::MetaBatch batch;
    std::vector<master::Effect> effects;
    std::vector<std::shared_ptr<const void>> let_go;  // as Output::let_go
    bool published_ahead = false;                     // something was that the batch holds
    bool ready_to_stop = false;

    bool empty() const { return batch.empty() && effects.empty() && !ready_to_stop; }
  };
  void Begin();
  void End();
  // `being_written_`. False: the process is over.
  bool Persist();

  Options options_;
  Agenda agenda_;
  bool ready_to_stop_ = false;  // the core, as it said last
  bool writing_ = false;
  Unwritten being_written_;
  Unwritten next_;
};

}  // namespace dl::sim
