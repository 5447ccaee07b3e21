#include "cli/interrupts.h"

#include <csignal>
#include <cstdlib>

#include "gtest/gtest.h"

namespace dl::cli {
namespace {

// Death tests restart the program, because earlier tests left threads in this process. gtest does
// not support a fork beside other threads, and ThreadSanitizer blocks signals in such a child.
class InterruptsTest : public testing::Test {
 protected:
  InterruptsTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(InterruptsTest, SecondSignalEndsProcess) {
  EXPECT_EXIT(
      {
        const Interrupts interrupts;
        std::raise(SIGTERM);
        std::_Exit(interrupts.stop() && interrupts.exit_code() == 143 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        const Interrupts interrupts;
        std::raise(SIGTERM);
        std::raise(SIGINT);
      },
      testing::ExitedWithCode(130), "");
}

TEST_F(InterruptsTest, SecondSignalAfterDestructionEndsProcess) {
  const auto end_behind = [](int signals) {
    { const Interrupts interrupts; }
    for (int i = 0; i < signals; ++i) std::raise(SIGTERM);
    std::_Exit(0);
  };
  EXPECT_EXIT(end_behind(1), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(end_behind(2), testing::ExitedWithCode(143), "");
}

TEST_F(InterruptsTest, LaterObjectIgnoresEarlierSignals) {
  EXPECT_EXIT(
      {
        {
          const Interrupts interrupts;
          std::raise(SIGINT);
        }
        const Interrupts interrupts;
        std::_Exit(interrupts.stop() || interrupts.exit_code() != 0 ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace dl::cli
