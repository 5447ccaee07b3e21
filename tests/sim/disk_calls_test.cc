// A slow disk and a disk that hangs, in virtual time.
#include "base/disk_calls.h"

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/thread.h"
#include "gtest/gtest.h"
#include "tests/sim/virtual_time_test.h"

namespace dl::sim {
namespace {

using std::chrono::seconds;

// A disk that does one call at a time, in the same time each.
class SlowDisk : public VirtualTimeTest {
 protected:
  ~SlowDisk() override { threads_.End(); }
  // Lets that many threads make a call at once. Returns how many calls were answered.
  int CallAtOnce(int calls, Duration each) {
    int answered = 0;
    const auto turn = std::make_shared<Mutex>();
    std::vector<Thread> callers;
    for (int i = 0; i < calls; ++i) {
      callers.emplace_back("caller", [&] {
        const auto done = disk_.Run([turn, each] {
          MutexLock lock(*turn);
          VirtualThread::Current().Sleep(each);
          return true;
        });
        answered += done ? 1 : 0;
      });
    }
    RunAll();
    return answered;
  }

  DiskCalls disk_{{.what = "the disk", .otherwise = "it is not used", .limit = seconds(10)}};
};

TEST_F(SlowDisk, FiveSecondsForEachCallIsNoHang) {
  EXPECT_EQ(CallAtOnce(8, seconds(5)), 8) << "the last of them waited for 40 s";
  EXPECT_FALSE(disk_.hangs());
}

TEST_F(SlowDisk, ElevenSecondsWithoutAnAnswerIsAHang) {
  EXPECT_EQ(CallAtOnce(1, seconds(11)), 0);
  EXPECT_FALSE(disk_.hangs()) << "it answered late";
  EXPECT_EQ(CallAtOnce(2, seconds(1)), 2);
}

}  // namespace
}  // namespace dl::sim
