#include "tests/sim/virtual_thread.h"

#include <utility>

#include "base/status.h"

namespace dl::sim {
namespace {

VirtualThread* running = nullptr;

}  // namespace

ProcessThreads::~ProcessThreads() { DL_CHECK(threads_.empty()); }

void ProcessThreads::RunAll() {
  for (VirtualThread* const each : std::vector(threads_)) {
    if (!each->done()) each->Run();
  }
}

void ProcessThreads::RunToTheEnd(const VirtualThread& thread) {
  constexpr int kMaxTurns = 10'000;
  DL_CHECK(ended_);
  for (int turn = 0; !thread.done(); ++turn) {
    DL_CHECK(turn < kMaxTurns);  // a thread does not notice that its owner has ended
    RunAll();
  }
}

VirtualThread::VirtualThread(ProcessThreads& process, std::function<void()> body)
    : process_(process), fiber_(std::move(body)) {
  process_.threads_.push_back(this);
}

VirtualThread::~VirtualThread() { DL_CHECK(done()); }

VirtualThread* VirtualThread::Running() { return running; }

VirtualThread& VirtualThread::Current() {
  DL_CHECK(running != nullptr);
  return *running;
}

void VirtualThread::Run() {
  ++order_;
  running = this;
  fiber_.Resume();
  running = nullptr;
  if (done()) std::erase(process_.threads_, this);
}

void VirtualThread::RunAfter(Duration wait) {
  process_.options_.later(wait, [this, order = ++order_, exists = std::weak_ptr<bool>(exists_)] {
    if (!exists.expired() && order == order_ && !done()) Run();
  });
}

void VirtualThread::Join() {
  if (running == nullptr && !done()) return process_.RunToTheEnd(*this);
  while (!done()) {
    if (!process_.ended()) running->RunSoon();
    running->Yield();
  }
}

void VirtualThread::Yield() { Fiber::Wait(); }

void VirtualThread::Sleep(Duration span) {
  if (process_.ended()) return;
  RunAfter(span);
  Yield();
}

void VirtualThread::WaitUntil(const std::function<bool()>& until) {
  while (!process_.ended() && !until()) Yield();
}

}  // namespace dl::sim
