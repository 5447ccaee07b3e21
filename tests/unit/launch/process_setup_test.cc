#include "launch/process_setup.h"

#include <cstdlib>

#include "base/usable_cores.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::launch {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Threads that look for work keep the cores from threads that have work.
TEST(ProcessSetup, ThreadsOfProcessesThatShareCoresSleepAtOnce) {
  const int64_t cores = FindUsableCores().count;
  unsetenv("GOMP_SPINCOUNT");
  EXPECT_THAT(OpenMpSettingsOf(cores), ElementsAre("GOMP_SPINCOUNT=0"));
  EXPECT_THAT(OpenMpSettingsOf(cores / 2 + 1), ElementsAre("GOMP_SPINCOUNT=0"));
  if (cores > 1) {
    EXPECT_THAT(OpenMpSettingsOf(cores / 2), IsEmpty());
  }
  setenv("GOMP_SPINCOUNT", "77", 1);  // by the user
  EXPECT_THAT(OpenMpSettingsOf(cores), IsEmpty());
  unsetenv("GOMP_SPINCOUNT");
}

}  // namespace
}  // namespace dl::launch
