// The events that a quiet command shows.
#include <sstream>

#include "cli/output/event_output.h"
#include "gtest/gtest.h"

namespace dl::cli {
namespace {

class ClockByHand : public Clock {
 public:
  Instant Now() const override { return now; }
  int64_t WallUnixMs() const override { return 0; }
  Instant now{};
};

TEST(EventOutput, QuietShowsOnlyTrouble) {
  std::ostringstream data, progress;
  ClockByHand clock;
  EventOutput output(
      {.style = EventStyle::kQuiet, .data = &data, .progress = &progress, .clock = &clock});
  const auto state = [](const char* name, const char* message) {
    return Json{{"type", "state"}, {"job", "j"}, {"state", name}, {"message", message}};
  };
  output.Show(state("QUEUED", "no executor is registered"));
  clock.now = {2'000'000'000};
  output.ShowLongWait();
  output.Show(state("RUNNING", ""));
  output.Show({{"type", "round"}, {"job", "j"}, {"round", 1}, {"rounds_total", 100}});
  output.Show({{"type", "epoch"}, {"job", "j"}, {"epoch", 1}});
  clock.now = {60'000'000'000};
  output.ShowLongWait();
  EXPECT_EQ(progress.str(), "") << "a short wait and progress are no trouble";
  output.Show({{"type", "warning"}, {"job", "j"}, {"message", "careful"}});
  output.Show(state("WAITING", "no executor is large enough"));
  clock.now = {64'000'000'000};
  output.ShowLongWait();
  output.ShowLongWait();
  output.Show(state("FAILED", "a disk is full"));
  EXPECT_EQ(progress.str(),
            "j  warning: careful\nj  WAITING: no executor is large enough\n"
            "j  FAILED: a disk is full\n");
  EXPECT_EQ(data.str(), "");
}

}  // namespace
}  // namespace dl::cli
