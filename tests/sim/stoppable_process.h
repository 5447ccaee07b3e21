// A process as signals and the network know it: it is stopped and goes on, is cut off, and ends.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "tests/sim/agenda.h"
#include "tests/sim/network.h"

namespace dl::sim {

class StoppableProcess {
 public:
  StoppableProcess(VirtualTime* time, Network* network) : agenda_(time), network_(network) {}

  Instant now() const { return agenda_.now(); }
  // It does that, at once or when it goes on.
  void Post(std::function<void()> action);
  void Later(Duration wait, std::function<void()> action) {
    agenda_.After(wait, [this, action = std::move(action)] { Post(action); });
  }
  // `done` is posted, once.
  template <typename ReplyType>
  void Call(Duration deadline, Network::Deliver<ReplyType> deliver, Network::Done<ReplyType> done) {
    const auto post = [this, is_there = agenda_.IsThere()](std::function<void()> action) {
      if (is_there()) Post(std::move(action));
    };
    network_->Call<ReplyType>(cut_off_, post, deadline, std::move(deliver), std::move(done));
  }

  void Pause() { paused_ = true; }  // SIGSTOP
  void Continue();                  // SIGCONT: what came meanwhile is handled now, in order
  void CutOff(bool cut) { cut_off_ = cut; }  // no message of it arrives any more, nobody is told
  void End() { ended_ = true; }              // it does nothing any more
  bool paused() const { return paused_; }
  bool cut_off() const { return cut_off_; }
  bool ended() const { return ended_; }

 private:
  Agenda agenda_;
  Network* network_;
  bool paused_ = false;
  bool cut_off_ = false;
  bool ended_ = false;
  std::deque<std::function<void()>> backlog_;  // while paused
};

inline void StoppableProcess::Post(std::function<void()> action) {
  if (ended_) return;
  if (paused_) {
    backlog_.push_back(std::move(action));
  } else {
    action();
  }
}

inline void StoppableProcess::Continue() {
  paused_ = false;
  while (!backlog_.empty() && !paused_ && !ended_) {
    const std::function<void()> action = std::move(backlog_.front());
    backlog_.pop_front();
    action();
  }
}

}  // namespace dl::sim
