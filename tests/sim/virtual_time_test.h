// A test whose threads, clocks and waits are on virtual time.
#pragma once

#include <chrono>
#include <functional>

#include "gtest/gtest.h"
#include "tests/sim/agenda.h"
#include "tests/sim/virtual_scheduler.h"

namespace dl::sim {

// A test that has objects with threads must call threads_.End() in its destructor, before they are
// destroyed.
class VirtualTimeTest : public testing::Test {
 protected:
  // Runs until nothing more is due.
  void RunAll() {
    while (time_.RunNext()) {
    }
  }

  VirtualTime time_;
  Agenda agenda_{&time_};
  VirtualScheduler scheduler_{&time_};
  InstalledScheduler installed_{&scheduler_};
  ProcessThreads threads_{
      {.later = [this](Duration wait,
                       std::function<void()> action) { agenda_.After(wait, std::move(action)); },
       .delay = []() -> Duration { return std::chrono::milliseconds(1); }}};
  VirtualScheduler::InProcess in_process_{scheduler_, threads_};
};

}  // namespace dl::sim
