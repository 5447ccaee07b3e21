#include "web/http/worker_pool.h"

#include <sys/resource.h>
#include <unistd.h>

#include <latch>

#include "base/thread.h"
#include "gtest/gtest.h"

namespace dl::web {
namespace {

// Returns the nice value of a thread of a pool, and of a thread that it starts.
std::pair<int, int> NiceOf(WorkerPool::Priority priority) {
  const auto nice = [] { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); };
  std::pair<int, int> values{-1, -1};
  std::latch done{1};
  WorkerPool pool("nice-test", 1, 4, priority);
  EXPECT_TRUE(pool.Post([&] {
    values.first = nice();
    Thread("inner", [&] { values.second = nice(); }).Join();
    done.count_down();
  }));
  done.wait();
  return values;
}

TEST(WorkerPool, LowPriorityIsThatOfTheThreadAndOfItsThreadsOnly) {
  const int own = getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()));
  EXPECT_EQ(NiceOf(WorkerPool::Priority::kLow), std::pair(19, 19));
  EXPECT_EQ(NiceOf(WorkerPool::Priority::kNormal), std::pair(own, own));
}

TEST(WorkerPool, WorkBeyondTheCapacityIsRefused) {
  WorkerPool pool("full-test", 1, 1);
  std::latch started{1}, end{1};
  EXPECT_TRUE(pool.Post([&] {
    started.count_down();
    end.wait();
  }));
  started.wait();
  EXPECT_TRUE(pool.Post([] {}));
  EXPECT_FALSE(pool.Post([] {}));
  end.count_down();
  pool.Stop();
  EXPECT_FALSE(pool.Post([] {}));
}

}  // namespace
}  // namespace dl::web
