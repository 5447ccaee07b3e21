// Shipped code that starts threads and waits runs in virtual time.
#include "tests/sim/virtual_scheduler.h"

#include <memory>
#include <string>
#include <vector>

#include "base/bounded_queue.h"
#include "base/worker_thread.h"
#include "gtest/gtest.h"
#include "tests/sim/agenda.h"

namespace dl::sim {
namespace {

using std::chrono::milliseconds;

class VirtualSchedulerTest : public testing::Test {
 protected:
  ~VirtualSchedulerTest() override { threads_.End(); }
  void RunAll() {
    while (time_.RunNext()) {
    }
  }
  void Note(const std::string& what) {
    done_.push_back(what + std::to_string((Clock::Real().Now() - start_) / milliseconds(1)));
  }

  VirtualTime time_;
  const Instant start_ = time_.now();
  Agenda agenda_{&time_};
  VirtualScheduler scheduler_{&time_};
  InstalledScheduler installed_{&scheduler_};
  ProcessThreads threads_{
      {.later = [this](Duration wait,
                       std::function<void()> action) { agenda_.After(wait, std::move(action)); },
       .delay = []() -> Duration { return milliseconds(1); }}};
  VirtualScheduler::InProcess in_process_{scheduler_, threads_};
  std::vector<std::string> done_;
};

TEST_F(VirtualSchedulerTest, NotifiedThreadRunsAfterTheDelay) {
  BoundedQueue<int> queue(1);
  Thread reader("reader", [&] {
    while (queue.Pop(std::chrono::hours(1)).ok()) Note("item at ");
  });
  for (const int after : {10, 20})
    agenda_.After(milliseconds(after), [&] { (void)queue.Push(1, Duration{}); });
  agenda_.After(milliseconds(30), [&] { queue.Close(); });
  RunAll();
  reader.Join();
  EXPECT_EQ(done_, (std::vector<std::string>{"item at 11", "item at 21"}));
}

TEST_F(VirtualSchedulerTest, WaitEndsAtItsTimeout) {
  BoundedQueue<int> queue(1);
  Thread reader("reader", [&] {
    EXPECT_TRUE(absl::IsDeadlineExceeded(queue.Pop(milliseconds(500)).status()));
    Note("given up at ");
  });
  RunAll();
  reader.Join();
  EXPECT_EQ(done_, (std::vector<std::string>{"given up at 501"}));
}

TEST_F(VirtualSchedulerTest, ThreadsWaitForOneAnotherAndJoin) {
  BoundedQueue<int> queue(1);
  Thread outer("outer", [&] {
    Thread inner("inner", [&] {
      for (int i = 0; i < 3; ++i) (void)queue.Push(i, std::chrono::hours(1));
      Note("pushed at ");
    });
    for (int i = 0; i < 3; ++i) EXPECT_EQ(*queue.Pop(std::chrono::hours(1)), i);
    inner.Join();
    Note("joined at ");
  });
  RunAll();
  outer.Join();
  ASSERT_EQ(done_.size(), 2u);
  EXPECT_TRUE(done_[0].starts_with("pushed"));
}

TEST_F(VirtualSchedulerTest, LockedMutexSuspendsTheThread) {
  Mutex mutex;
  Thread owner("owner", [&] {
    MutexLock lock(mutex);
    VirtualThread::Current().Sleep(milliseconds(10));
    Note("unlocked at ");
  });
  Thread other("other", [&] {
    MutexLock lock(mutex);
    Note("locked at ");
  });
  RunAll();
  owner.Join();
  other.Join();
  ASSERT_EQ(done_.size(), 2u);
  EXPECT_EQ(done_[0], "unlocked at 11");
  EXPECT_TRUE(done_[1] == "locked at 11" || done_[1] == "locked at 12") << done_[1];
}

TEST_F(VirtualSchedulerTest, ThreadsOfAnEndedProcessEndInTheirDestructors) {
  auto worker = std::make_unique<WorkerThread>("worker");
  bool ran = false;
  worker->Post([&] { ran = true; });
  RunAll();
  EXPECT_TRUE(ran);
  threads_.End();
  worker = nullptr;
}

}  // namespace
}  // namespace dl::sim
