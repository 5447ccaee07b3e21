#include "tests/sim/virtual_work_queue.h"

#include <utility>

namespace dl::sim {

void VirtualWorkQueue::Post(std::function<void()> work) {
  queue_.push_back(std::move(work));
  if (std::exchange(idle_, false)) thread_.RunAfter(options_.takes());
}

void VirtualWorkQueue::Run() {
  while (!options_.process->ended()) {
    if (queue_.empty()) {
      idle_ = true;
      thread_.Yield();
      continue;
    }
    const std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    work();
    if (!queue_.empty()) thread_.Sleep(options_.takes());
  }
}

}  // namespace dl::sim
