#include "tests/sim/virtual_thread.h"

#include <utility>

#include "base/status.h"

namespace dl::sim {
namespace {

VirtualThread* running_thread = nullptr;

}  // namespace

VirtualThread::~VirtualThread() {
  ending_ = true;
  queue_.clear();
  if (running_) Run();
}

void VirtualThread::Post(std::function<void()> work) {
  queue_.push_back(std::move(work));
  if (!running_) ScheduleNext();
}

VirtualThread& VirtualThread::Current() {
  DL_CHECK(running_thread != nullptr);
  return *running_thread;
}

void VirtualThread::WaitUntil(const std::function<bool()>& until) {
  while (!ending_ && !until()) Fiber::Wait();
}

void VirtualThread::Wake() {
  if (running_) Run();
}

void VirtualThread::ScheduleNext() {
  if (scheduled_ || ending_ || queue_.empty()) return;
  scheduled_ = true;
  options_.later(options_.takes(), [this] {
    scheduled_ = false;
    running_ = std::make_unique<Fiber>(std::move(queue_.front()));
    queue_.pop_front();
    Run();
  });
}

void VirtualThread::Run() {
  running_thread = this;
  running_->Resume();
  running_thread = nullptr;
  if (!running_->done()) return;
  running_.reset();
  ScheduleNext();
}

}  // namespace dl::sim
