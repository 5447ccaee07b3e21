// How long an executor tries to register while the master denies it.
#include "base/limits.h"
#include "executor/core/executor_core.h"
#include "tests/unit/executor_core/core_fixture.h"

namespace dl::executor {
namespace {

// Retrying would not help: a token of another cluster stays invalid.
TEST_F(ExecutorCore, FirstDenialEndsExecutor) {
  Do(RegisterAnswered{Denied({.message = "denied"})});
  EXPECT_EQ(Effects<Refused>().size(), 1u);
  EXPECT_EQ(core_->NextDeadline(), Instant::Max());
}

// After a session, a denial may be temporary. For example, the master's clock is wrong for a moment
// and the token seems to have expired.
TEST_F(ExecutorCore, DenialAfterASessionIsRetriedUntilTimeout) {
  const Status denied = Denied({.message = "denied"});
  const auto denied_for = [&](Duration time) {
    for (const Instant end = now_ + time; now_ < end; Wait(core_->NextDeadline() - now_)) {
      Do(RegisterAnswered{denied});
      if (!Effects<Refused>().empty()) return true;
    }
    return false;
  };
  Register(11);
  Do(HeartbeatAnswered{11, denied});
  EXPECT_EQ(Effects<SendRegister>().size(), 1u);
  EXPECT_FALSE(denied_for(limits::kDeniedTimeout / 2));
  Register(12);
  EXPECT_EQ(Effects<Joined>().size(), 1u);
  Do(HeartbeatAnswered{12, denied});
  EXPECT_FALSE(denied_for(limits::kDeniedTimeout * 2 / 3))
      << "the time counts from the last denial on";
  EXPECT_TRUE(denied_for(limits::kDeniedTimeout / 2));
  EXPECT_EQ(Effects<Refused>().at(0).why, denied);
}

// The master's clock was wrong at its start and is right after a minute. The master denies valid
// tokens for limits::kClockJumpTime more. A service manager does not restart an executor that was
// denied.
TEST_F(ExecutorCore, WrongClockOfMasterDoesNotEndExecutor) {
  const Status denied = Denied({.message = "denied"});
  for (const bool was_registered : {true, false}) {
    CoreOptions options{.name = "e1"};
    if (!was_registered) options.first_denied_timeout = limits::kDeniedTimeout;
    SetUpCore(options);
    if (was_registered) {
      Register(11);
      Do(HeartbeatAnswered{11, denied});
    }
    const Instant admitted = now_ + std::chrono::minutes(1) + limits::kClockJumpTime;
    for (; now_ < admitted; Wait(core_->NextDeadline() - now_)) {
      Do(RegisterAnswered{denied});
      ASSERT_TRUE(Effects<Refused>().empty()) << was_registered;
    }
    Register(12);
    EXPECT_EQ(Effects<Joined>().size(), 1u) << was_registered;
  }
}

}  // namespace
}  // namespace dl::executor
