#include "master/gateway/master_event_queue.h"

#include <utility>
#include <variant>

namespace dl::master {

namespace {

// Estimates the memory of a request: its lists and texts, whose length a peer chooses.
int64_t RequestBytes(const Submission& request) {
  return static_cast<int64_t>(request.spec.size() + request.train_manifest.size() +
                              request.test_manifest.size());
}
int64_t RequestBytes(const Announcement& request) {
  auto bytes = static_cast<int64_t>(request.magnitudes->size() * sizeof(double));
  bytes +=
      static_cast<int64_t>(request.activations.encoded->size() +
                           request.activations.layers.size() * sizeof(AnnouncedHistograms::Layer));
  if (request.metrics.ok()) bytes += (*request.metrics)->FigureBytes();
  return bytes;
}
int64_t RequestBytes(const rpc::RegisterRequest& request) {
  size_t bytes = 0;
  for (const std::string& part : request.held_parts) bytes += sizeof(part) + part.size();
  for (const auto& held : request.held_contributions) bytes += sizeof(held) + held.unit.job.size();
  for (const auto& crashed : request.crashed) bytes += sizeof(crashed) + crashed.unit.job.size();
  return static_cast<int64_t>(bytes);
}
int64_t RequestBytes(const rpc::HeartbeatRequest& request) {
  size_t bytes = 0;
  for (const auto& running : request.running) bytes += sizeof(running) + running.unit.job.size();
  return static_cast<int64_t>(bytes);
}

int64_t EventBytes(const Event& event) {
  return std::visit(
      [](const auto& e) -> int64_t {
        if constexpr (requires { RequestBytes(e.request); })
          return sizeof(Event) + RequestBytes(e.request);
        return sizeof(Event);
      },
      event);
}

}  // namespace

void EventQueue::Add(Event event) {
  events_.push_back({Clock::Real().Now(), std::move(event)});
  came_.NotifyOne();
}

void EventQueue::Post(Event event) {
  MutexLock lock(mutex_);
  Add(std::move(event));
}

bool EventQueue::Offer(Event event) {
  const int64_t bytes = EventBytes(event);
  MutexLock lock(mutex_);
  // A request that alone is larger than the limit is still accepted.
  if (bytes_ > 0 && bytes_ + bytes > max_bytes_) return false;
  bytes_ += bytes;
  Add(std::move(event));
  return true;
}

std::optional<std::deque<Arrival>> EventQueue::Take(Instant due) {
  MutexLock lock(mutex_);
  for (;;) {
    if (closed_) return std::nullopt;
    if (!events_.empty()) {
      bytes_ = 0;
      return std::exchange(events_, {});
    }
    const Instant now = Clock::Real().Now();
    const Duration left = due == Instant::Max() ? Duration(std::chrono::hours(1)) : due - now;
    if (left <= Duration::zero()) return std::deque<Arrival>{{now, Tick{}}};
    came_.WaitFor(mutex_, left);
  }
}

void EventQueue::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  came_.NotifyAll();
}

}  // namespace dl::master
