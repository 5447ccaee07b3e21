// Work that blocks runs on virtual time.
#include "tests/sim/virtual_thread.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/sim/agenda.h"
#include "tests/sim/virtual_time.h"

namespace dl::sim {
namespace {

using std::chrono::milliseconds;

class VirtualThreadTest : public testing::Test {
 protected:
  std::unique_ptr<VirtualThread> MakeThread() {
    return std::make_unique<VirtualThread>(VirtualThread::Options{
        .later = [this](Duration wait,
                        std::function<void()> action) { agenda_.After(wait, std::move(action)); },
        .takes = []() -> Duration { return milliseconds(10); }});
  }
  void RunAll() {
    while (time_.RunNext()) {
    }
  }
  int64_t Now() const { return (time_.now() - start_) / milliseconds(1); }

  VirtualTime time_;
  const Instant start_ = time_.now();
  Agenda agenda_{&time_};
  std::vector<std::string> done_;
};

TEST_F(VirtualThreadTest, PiecesRunInOrderAndTakeTime) {
  const auto thread = MakeThread();
  for (const std::string name : {"a", "b"})
    thread->Post([&, name] { done_.push_back(name + std::to_string(Now())); });
  EXPECT_TRUE(done_.empty());
  RunAll();
  EXPECT_EQ(done_, (std::vector<std::string>{"a10", "b20"}));
}

TEST_F(VirtualThreadTest, WaitingPieceHoldsUpTheNextUntilItIsWoken) {
  const auto thread = MakeThread();
  bool answered = false;
  thread->Post([&] {
    VirtualThread& self = VirtualThread::Current();
    self.WaitUntil([&] { return answered; });
    done_.push_back("answered at " + std::to_string(Now()));
  });
  thread->Post([&] { done_.push_back("next at " + std::to_string(Now())); });
  agenda_.After(milliseconds(50), [&] { thread->Wake(); });  // too early: it goes on waiting
  agenda_.After(milliseconds(500), [&] {
    answered = true;
    thread->Wake();
  });
  RunAll();
  EXPECT_EQ(done_, (std::vector<std::string>{"answered at 500", "next at 510"}));
}

TEST_F(VirtualThreadTest, EndOfTheThreadEndsTheWaitAndDropsTheRest) {
  auto thread = MakeThread();
  thread->Post([&] {
    VirtualThread::Current().WaitUntil([] { return false; });
    done_.push_back("given up");
  });
  thread->Post([&] { done_.push_back("dropped"); });
  RunAll();
  EXPECT_TRUE(done_.empty());
  thread.reset();
  EXPECT_EQ(done_, (std::vector<std::string>{"given up"}));
}

}  // namespace
}  // namespace dl::sim
