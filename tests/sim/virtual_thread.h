// Threads of simulated processes. Blocking code runs in virtual time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/scheduler.h"
#include "tests/sim/fiber.h"

namespace dl::sim {

class VirtualThread;

// The threads of one process. Must be destroyed after all of them.
class ProcessThreads {
 public:
  struct Options {
    // Calls the function after that time, unless the process has ended by then.
    std::function<void(Duration, std::function<void()>)> later;
    // Returns the time until a thread runs after it was started or a condition was notified. Called
    // each time.
    std::function<Duration()> delay;
  };
  explicit ProcessThreads(Options options) : options_(std::move(options)) {}
  ~ProcessThreads();
  ProcessThreads(const ProcessThreads&) = delete;

  // Ends the process: from now on, each wait of its threads returns at once.
  void End() { ended_ = true; }
  bool ended() const { return ended_; }
  // Runs each thread once.
  void RunAll();
  // Runs the threads in turn until this one is done. REQUIRES: End() was called.
  void RunToTheEnd(const VirtualThread& thread);

 private:
  friend class VirtualThread;
  const Options options_;
  bool ended_ = false;
  std::vector<VirtualThread*> threads_;  // threads that are not done
};

class VirtualThread final : public Scheduler::StartedThread {
 public:
  VirtualThread(ProcessThreads& process, std::function<void()> body);
  ~VirtualThread() override;

  // Returns the running thread, or null.
  static VirtualThread* Running();
  // Returns the running thread. REQUIRES: a thread is running.
  static VirtualThread& Current();

  ProcessThreads& process() const { return process_; }
  bool done() const { return fiber_.done(); }

  // Runs the thread until it waits or is done. REQUIRES: no thread is running, and not done().
  void Run();
  // Runs the thread after `wait`. Replaces an earlier request.
  void RunAfter(Duration wait);
  void RunSoon() { RunAfter(process_.options_.delay()); }
  // Waits for the thread in the running thread. If the process has ended, runs its threads to their
  // ends.
  void Join() override;

  // The following are called by the thread itself.
  // Waits for the next Run().
  void Yield();
  // Returns early when the process ends.
  void Sleep(Duration span);
  // Waits until `until` returns true, which is checked at each Run(). Returns early when the
  // process ends.
  void WaitUntil(const std::function<bool()>& until);

 private:
  ProcessThreads& process_;
  Fiber fiber_;
  int64_t order_ = 0;  // number of the last RunAfter()
  // Expires with the thread. Scheduled actions hold weak references to it.
  const std::shared_ptr<bool> exists_ = std::make_shared<bool>(true);
};

}  // namespace dl::sim
