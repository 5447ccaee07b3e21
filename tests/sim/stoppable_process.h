// A process as signals and the network affect it: it can be stopped, continued, cut off and ended.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "tests/sim/agenda.h"
#include "tests/sim/sim_network.h"

namespace dl::sim {

class StoppableProcess {
 public:
  StoppableProcess(VirtualTime* time, Network* network) : agenda_(time), network_(network) {}

  Instant now() const { return agenda_.now(); }
  // Runs the action, at once or when the process continues.
  void Post(std::function<void()> action);
  void Later(Duration wait, std::function<void()> action) {
    agenda_.After(wait, [this, action = std::move(action)] { Post(action); });
  }
  // Posts `done` exactly once, unless the process ends before.
  template <typename ReplyType>
  void Call(Duration deadline, Network::Deliver<ReplyType> deliver, Network::Done<ReplyType> done) {
    const auto post = [this, is_there = agenda_.IsThere()](std::function<void()> action) {
      if (is_there()) Post(std::move(action));
    };
    network_->Call<ReplyType>(cut_off_, post, deadline, std::move(deliver), std::move(done));
  }

  void Pause() { paused_ = true; }           // SIGSTOP
  void Continue();                           // SIGCONT: actions posted meanwhile are run in order
  void CutOff(bool cut) { cut_off_ = cut; }  // its messages are lost, and it is not informed
  void End() { ended_ = true; }              // it runs no more actions
  bool paused() const { return paused_; }
  bool cut_off() const { return cut_off_; }
  bool ended() const { return ended_; }

 private:
  Agenda agenda_;
  Network* network_;
  bool paused_ = false;
  bool cut_off_ = false;
  bool ended_ = false;
  std::deque<std::function<void()>> backlog_;  // actions posted while paused
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
