#include "tests/sim/virtual_scheduler.h"

#include <utility>

#include "base/status.h"

namespace dl::sim {

std::unique_ptr<Scheduler::StartedThread> VirtualScheduler::Start(std::function<void()> body) {
  VirtualThread* const starter = VirtualThread::Running();
  ProcessThreads* const process = starter != nullptr ? &starter->process() : process_;
  DL_CHECK(process != nullptr);
  auto thread = std::make_unique<VirtualThread>(*process, std::move(body));
  thread->RunSoon();
  return thread;
}

void VirtualScheduler::Wait(const void* condition, std::optional<Duration> timeout) {
  VirtualThread& thread = VirtualThread::Current();
  if (thread.process().ended()) return thread.Yield();
  waiting_[condition].push_back(&thread);
  if (timeout) thread.RunAfter(*timeout);
  thread.Yield();
  const auto waiting = waiting_.find(condition);
  if (waiting == waiting_.end()) return;
  std::erase(waiting->second, &thread);
  if (waiting->second.empty()) waiting_.erase(waiting);
}

void VirtualScheduler::NotifyOne(const void* condition) {
  const auto waiting = waiting_.find(condition);
  if (waiting == waiting_.end()) return;
  waiting->second.front()->RunSoon();
  waiting->second.pop_front();
  if (waiting->second.empty()) waiting_.erase(waiting);
}

void VirtualScheduler::NotifyAll(const void* condition) {
  auto waiting = waiting_.extract(condition);
  if (waiting.empty()) return;
  for (VirtualThread* const thread : waiting.mapped()) thread->RunSoon();
}

}  // namespace dl::sim
