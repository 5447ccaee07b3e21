// A work queue of a simulated process: each piece starts a while after it could, and may wait for
// answers in the middle, all on virtual time.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/work_queue.h"
#include "tests/sim/fiber.h"

namespace dl::sim {

class VirtualThread final : public WorkQueue {
 public:
  struct Options {
    // Calls the function that much later, unless the process has ended by then.
    std::function<void(Duration, std::function<void()>)> later;
    std::function<Duration()> takes;  // the time of a piece
  };
  explicit VirtualThread(Options options) : options_(std::move(options)) {}
  // A piece that waits ends first: each of its waits is over at once.
  ~VirtualThread() override;

  void Post(std::function<void()> work) override;

  // The thread whose piece calls this. REQUIRES: a piece runs.
  static VirtualThread& Current();
  // Waits until `until` returns true or the process ends. Called by the piece that runs.
  void WaitUntil(const std::function<bool()>& until);
  // Asks the waiting piece to look again. Not called by a piece.
  void Wake();

 private:
  void ScheduleNext();
  void Run();

  const Options options_;
  std::deque<std::function<void()>> queue_;
  std::unique_ptr<Fiber> running_;
  bool scheduled_ = false;
  bool ending_ = false;
};

}  // namespace dl::sim
