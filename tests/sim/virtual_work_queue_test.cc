// Blocking work runs in virtual time.
#include "tests/sim/virtual_work_queue.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/sim/agenda.h"
#include "tests/sim/virtual_time.h"

namespace dl::sim {
namespace {

using std::chrono::milliseconds;

class VirtualWorkQueueTest : public testing::Test {
 protected:
  ~VirtualWorkQueueTest() override { threads_.End(); }
  void RunAll() {
    while (time_.RunNext()) {
    }
  }
  int64_t Now() const { return (time_.now() - start_) / milliseconds(1); }

  VirtualTime time_;
  const Instant start_ = time_.now();
  Agenda agenda_{&time_};
  ProcessThreads threads_{
      {.later = [this](Duration wait,
                       std::function<void()> action) { agenda_.After(wait, std::move(action)); },
       .delay = []() -> Duration { return milliseconds(1); }}};
  std::unique_ptr<VirtualWorkQueue> queue_ =
      std::make_unique<VirtualWorkQueue>(VirtualWorkQueue::Options{
          .process = &threads_, .takes = []() -> Duration { return milliseconds(10); }});
  std::vector<std::string> done_;
};

TEST_F(VirtualWorkQueueTest, PiecesRunInOrderAndTakeTime) {
  for (const std::string name : {"a", "b"})
    queue_->Post([&, name] { done_.push_back(name + std::to_string(Now())); });
  EXPECT_TRUE(done_.empty());
  RunAll();
  EXPECT_EQ(done_, (std::vector<std::string>{"a10", "b20"}));
}

TEST_F(VirtualWorkQueueTest, WaitingPieceHoldsUpTheNextUntilItIsRun) {
  bool answered = false;
  VirtualThread* thread = nullptr;
  queue_->Post([&] {
    thread = &VirtualThread::Current();
    thread->WaitUntil([&] { return answered; });
    done_.push_back("answered at " + std::to_string(Now()));
  });
  queue_->Post([&] { done_.push_back("next at " + std::to_string(Now())); });
  agenda_.After(milliseconds(50), [&] { thread->Run(); });  // too early: it continues to wait
  agenda_.After(milliseconds(500), [&] {
    answered = true;
    thread->Run();
  });
  RunAll();
  EXPECT_EQ(done_, (std::vector<std::string>{"answered at 500", "next at 510"}));
}

TEST_F(VirtualWorkQueueTest, EndOfTheProcessEndsTheWaitAndDropsTheRest) {
  queue_->Post([&] {
    VirtualThread::Current().WaitUntil([] { return false; });
    done_.push_back("given up");
  });
  queue_->Post([&] { done_.push_back("dropped"); });
  RunAll();
  EXPECT_TRUE(done_.empty());
  threads_.End();
  queue_ = nullptr;
  EXPECT_EQ(done_, (std::vector<std::string>{"given up"}));
}

}  // namespace
}  // namespace dl::sim
