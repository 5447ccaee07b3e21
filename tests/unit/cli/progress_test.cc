#include <sstream>

#include "cli/output/event_output.h"
#include "cli/output/progress_bar.h"
#include "gtest/gtest.h"

namespace dl::cli {
namespace {

Json Round(int64_t round) {
  return {{"type", "round"},
          {"job", "lenet-1"},
          {"seq", round},
          {"round", round},
          {"rounds_total", 100},
          {"epoch", 2},
          {"examples", 64 * round},
          {"train", {{"loss", 0.5}, {"accuracy", 0.875}}},
          {"examples_per_second", 640.0}};
}

constexpr char kForged[] = "of an executor\nlenet-1  SUCCEEDED\x1b[2J";
constexpr char kForgedInLine[] = "of an executor\\nlenet-1  SUCCEEDED\\u001b[2J";

TEST(Progress, MessageOfEventIsOneLine) {
  for (const char* type : {"warning", "state"}) {
    const Json event = {{"type", type}, {"job", "lenet-1"}, {"message", kForged}};
    for (const std::string& line : {RenderEvent(event), RenderLogLine(event)}) {
      EXPECT_EQ(line.find('\n'), std::string::npos) << line;
      EXPECT_NE(line.find(kForgedInLine), std::string::npos) << line;
    }
  }
  JobProgress progress;
  progress.Apply(
      {{"type", "state"}, {"job", "lenet-1"}, {"state", "FAILED"}, {"message", kForged}});
  EXPECT_EQ(RenderLine(progress).find('\n'), std::string::npos);
}

TEST(Progress, ErrorOfResultIsOneLine) {
  const Json result = {{"job", "lenet-1"}, {"state", "FAILED"}, {"error", {{"message", kForged}}}};
  EXPECT_EQ(RenderResult(result, {}).find("\nlenet-1  SUCCEEDED"), std::string::npos);
}

JobProgress At(int64_t round) {
  JobProgress progress;
  progress.Apply({{"type", "epoch"},
                  {"job", "lenet-1"},
                  {"epoch", 1},
                  {"epochs_total", 5},
                  {"test", {{"accuracy", 0.8}}}});
  progress.Apply(Round(round));
  return progress;
}

TEST(Progress, EstimatesRemainingTime) {
  EXPECT_EQ(At(50).SecondsLeft(), 5.0);
  EXPECT_EQ(At(100).SecondsLeft(), 0.0);
  EXPECT_FALSE(JobProgress().SecondsLeft().has_value());
  EXPECT_EQ(At(50).test_accuracy, 0.8);
}

TEST(Progress, BarFitsTerminal) {
  const std::string bar = RenderBar(At(50), 140);
  EXPECT_EQ(bar,
            "lenet-1  [===============>              ] 50 %  epoch 2/5  round 50/100  loss 0.5000  "
            "accuracy 87.50 %  640 ex/s  ETA 0:05");
  for (int columns : {0, 1, 20, 60, 79, 80, 200})
    EXPECT_LE(RenderBar(At(50), columns).size(), columns) << columns;
  EXPECT_NE(RenderBar(At(100), 140).find("[==============================] 100 %"),
            std::string::npos);
}

// A real example: 30 epochs of 900 rounds.
TEST(Progress, NarrowBarOmitsLeastImportantParts) {
  JobProgress progress;
  progress.Apply({{"type", "epoch"}, {"job", "mnist-2"}, {"epoch", 2}, {"epochs_total", 30}});
  progress.Apply({{"type", "round"},
                  {"job", "mnist-2"},
                  {"round", 64},
                  {"rounds_total", 900},
                  {"epoch", 3},
                  {"examples", 128000},
                  {"train", {{"loss", 0.177}, {"accuracy", 0.9464}}},
                  {"examples_per_second", 86481.0}});
  EXPECT_EQ(RenderBar(progress, 79),
            "mnist-2  [=>                    ] 7 %  epoch 3/30 (13 %)  loss 0.1770  ETA 0:19");
  EXPECT_EQ(RenderBar(progress, 50), "mnist-2  [>           ] 7 %  loss 0.1770  ETA 0:19");
  // At every width the bar contains whole pieces in their order.
  const std::vector<std::string> pieces = {"epoch 3/30", "round 64/900",     "loss 0.1770",
                                           "86481 ex/s", "accuracy 94.64 %", "ETA 0:19"};
  for (int columns = 7; columns < 160; ++columns) {
    const std::string bar = RenderBar(progress, columns);
    EXPECT_LE(bar.size(), columns);
    std::string rest = bar;
    for (const std::string& piece : pieces) {
      if (const size_t at = rest.find("  " + piece); at != std::string::npos)
        rest.erase(at, piece.size() + 2);
    }
    if (const size_t at = rest.find("  ["); at != std::string::npos)
      rest.erase(at, rest.find('%') + 1 - at);
    if (const size_t at = rest.find(" (13 %)"); at != std::string::npos) rest.erase(at, 7);
    EXPECT_EQ(rest, "mnist-2") << bar;
  }
  progress.Apply({{"type", "state"},
                  {"state", "WAITING"},
                  {"message", "no executor of its kernel contract is registered at all"}});
  EXPECT_TRUE(RenderBar(progress, 79).ends_with("ETA 0:19  WAITING")) << RenderBar(progress, 79);
}

TEST(Progress, EpochHasItsShare) {
  JobProgress progress;
  progress.epochs = 12;
  const auto at = [&](int64_t epoch, int64_t round) {
    progress.Apply({{"type", "round"}, {"epoch", epoch}, {"round", round}, {"rounds_total", 120}});
    return progress.EpochPercent();
  };
  EXPECT_EQ(at(1, 1), 10);
  EXPECT_EQ(at(3, 24), 40);
  EXPECT_EQ(at(3, 30), 100);
  EXPECT_EQ(at(3, 31), std::nullopt) << "a round of another epoch";
  progress.epochs = 0;
  EXPECT_EQ(at(3, 24), std::nullopt);
}

TEST(Progress, EpochLineFitsTerminal) {
  const Json event = {{"type", "epoch"},
                      {"job", "lenet5-fashion-1"},
                      {"epoch", 1},
                      {"epochs_total", 2},
                      {"train", {{"loss", 0.4318}, {"accuracy", 0.8432}}},
                      {"test", {{"loss", 0.3343}, {"accuracy", 0.8777}}}};
  EXPECT_EQ(RenderEvent(event),
            "lenet5-fashion-1  epoch 1/2  train loss 0.4318  train accuracy 84.32 %  test loss "
            "0.3343  test accuracy 87.77 %");
  EXPECT_EQ(RenderEvent(event, 79),
            "lenet5-fashion-1  epoch 1/2  train 0.4318, 84.32 %  test 0.3343, 87.77 %");
  EXPECT_EQ(RenderEvent(event, 60), "lenet5-fashion-1  epoch 1/2  test 0.3343, 87.77 %");
  EXPECT_EQ(RenderEvent(event, 5), "lenet");
}

TEST(Progress, EpochShowsWatchedFigure) {
  Json event = {{"type", "epoch"},
                {"job", "churn-1"},
                {"epoch", 1},
                {"epochs_total", 2},
                {"train", {{"loss", 0.4318}}},
                {"test", {{"loss", 0.3343}}},
                {"figures", {{"roc_auc", 0.97314}, {"average_precision", 0.5}}}};
  EXPECT_EQ(RenderEvent(event), "churn-1  epoch 1/2  train loss 0.4318  test loss 0.3343");
  event["watched"] = "roc_auc";
  EXPECT_EQ(RenderEvent(event),
            "churn-1  epoch 1/2  train loss 0.4318  test loss 0.3343  test roc_auc 0.9731");
  EXPECT_EQ(RenderEvent(event, 60), "churn-1  epoch 1/2  test 0.3343  test roc_auc 0.9731");
}

TEST(Progress, LineHasFiguresOfBar) {
  EXPECT_EQ(RenderLine(At(50)),
            "lenet-1  epoch 2/5  round 50/100  loss 0.5000  accuracy 87.50 %  640 ex/s  ETA 0:05");
}

TEST(Progress, WaitingStateShowsReason) {
  JobProgress progress = At(50);
  progress.Apply(
      {{"type", "state"}, {"state", "WAITING"}, {"message", "no executor is registered"}});
  EXPECT_NE(RenderLine(progress).find("WAITING: no executor is registered"), std::string::npos);
}

TEST(Progress, LastingEventsAreLines) {
  EXPECT_EQ(RenderEvent(Round(3)), "");
  EXPECT_EQ(RenderEvent({{"type", "state"}, {"job", "j"}, {"state", "RUNNING"}, {"message", ""}}),
            "j  RUNNING");
  EXPECT_EQ(RenderEvent({{"type", "state"},
                         {"job", "j"},
                         {"state", "PAUSED"},
                         {"message", ""},
                         {"remedy", "Continue it"}}),
            "j  PAUSED: Continue it");
  EXPECT_EQ(RenderEvent(
                {{"type", "warning"}, {"job", "j"}, {"message", "careful"}, {"remedy", "Do this"}}),
            "j  warning: careful. Do this");
  EXPECT_EQ(RenderEvent({{"type", "warning"}, {"job", "j"}, {"message", "careful"}}),
            "j  warning: careful");
  EXPECT_EQ(RenderEvent({{"type", "checkpoint"}, {"job", "j"}, {"checkpoint", "j@7"}}),
            "j  checkpoint j@7");
  EXPECT_EQ(RenderEvent({{"type", "epoch"},
                         {"job", "j"},
                         {"epoch", 1},
                         {"epochs_total", 2},
                         {"train", {{"loss", 1.0}}},
                         {"test", {{"loss", 2.0}, {"accuracy", 0.5}}}}),
            "j  epoch 1/2  train loss 1.0000  test loss 2.0000  test accuracy 50.00 %");
}

TEST(Progress, UnknownEventsAreIgnored) {
  JobProgress progress;
  for (const Json& event : {Json(), Json(3), Json::array(), Json{{"type", 3}},
                            Json{{"type", "round"}, {"round", "x"}, {"train", 1}},
                            Json{{"type", "epoch"}, {"test", {{"loss", nullptr}}}}}) {
    progress.Apply(event);
    (void)RenderEvent(event);
    (void)RenderResult(event, {});
  }
  EXPECT_EQ(progress.round, 0);
}

TEST(Progress, EndShowsNextCommands) {
  const Json result = {{"type", "result"},
                       {"job", "lenet-1"},
                       {"state", "SUCCEEDED"},
                       {"exit_code", 0},
                       {"epochs", 5},
                       {"rounds", 100},
                       {"examples", 6400},
                       {"state_sha256", "abc"},
                       {"checkpoint", "lenet-1@100"},
                       {"metrics", {{"test", {{"loss", 0.25}, {"accuracy", 0.904}}}}},
                       {"wall_seconds", 61.0},
                       {"examples_per_second", 104.9}};
  const std::string text = RenderResult(
      result,
      {.data_dir = "/d", .run_flags = " --master 'local[2]'", .store_flags = " --data-dir /d"});
  for (const char* piece :
       {"SUCCEEDED", "test accuracy  90.40 %", "state_sha256   abc", "checkpoint     lenet-1@100",
        "data dir       /d", "dl-submit evaluate --data-dir /d lenet-1@100", "dl-submit export",
        "1:01"}) {
    EXPECT_NE(text.find(piece), std::string::npos) << piece << "\n" << text;
  }
  EXPECT_EQ(text.find("resume"), std::string::npos);
  Json cancelled = result;
  cancelled["state"] = "CANCELLED";
  EXPECT_NE(RenderResult(cancelled, {.run_flags = " --master 'local[2]'"})
                .find("dl-submit resume --master 'local[2]' lenet-1"),
            std::string::npos);
}

TEST(Progress, UselessCommandsAreNotAdvised) {
  Json result = {{"job", "lenet-1"}, {"state", "FAILED"}, {"reason", "not_finite"}};
  const std::string text = RenderResult(result, {});
  EXPECT_EQ(text.find("dl-submit resume"), std::string::npos) << text;
  EXPECT_NE(text.find("--set model.updater.learning_rate"), std::string::npos) << text;
  EXPECT_EQ(text.find("inspect"), std::string::npos) << "there is no checkpoint\n" << text;
  result["reason"] = "unit_failed";
  EXPECT_NE(RenderResult(result, {}).find("dl-submit resume"), std::string::npos);
}

TEST(Progress, FormatsSeconds) {
  EXPECT_EQ(FormatSeconds(0), "0:00");
  EXPECT_EQ(FormatSeconds(59.6), "1:00");
  EXPECT_EQ(FormatSeconds(3723), "1:02:03");
}

class FixedClock : public Clock {
 public:
  Instant Now() const override { return now; }
  int64_t WallUnixMs() const override { return 0; }
  Instant now{};
};

TEST(EventOutput, LinesComeEvery30SecondsAndForEpochs) {
  std::ostringstream data, progress;
  FixedClock clock;
  EventOutput output(
      {.style = EventStyle::kLines, .data = &data, .progress = &progress, .clock = &clock});
  output.Show(Round(1));
  clock.now = {29'000'000'000};
  output.Show(Round(1));
  EXPECT_EQ(progress.str(), "");
  clock.now = {31'000'000'000};
  output.Show(Round(2));
  output.Show(Round(3));
  EXPECT_EQ(progress.str().find("round 2/100") != std::string::npos, true);
  EXPECT_EQ(progress.str().find("round 3/100"), std::string::npos);
  output.Show({{"type", "epoch"}, {"job", "j"}, {"epoch", 1}});
  EXPECT_NE(progress.str().find("j  epoch 1"), std::string::npos);
  EXPECT_EQ(data.str(), "");
  EXPECT_EQ(output.last_sequence(), 3);
}

TEST(EventOutput, JsonHasOneEventPerLine) {
  std::ostringstream data, progress;
  EventOutput output({.style = EventStyle::kJson, .data = &data, .progress = &progress});
  output.Show(Round(1));
  output.Show({{"type", "result"}, {"state", "SUCCEEDED"}});
  output.Note("for people");
  EXPECT_EQ(data.str(), Round(1).dump() + "\n");
  EXPECT_EQ(progress.str(), "");
}

// `logs` and `logs -f` have this style. It shows no progress between the events.
TEST(EventOutput, LogGoesToStandardOutput) {
  std::ostringstream data, progress;
  FixedClock clock;
  EventOutput output(
      {.style = EventStyle::kLog, .data = &data, .progress = &progress, .clock = &clock});
  clock.now = {60'000'000'000};
  output.Show(Round(1));
  output.Show({{"type", "checkpoint"}, {"job", "j"}, {"checkpoint", "j@7"}});
  output.Show({{"type", "result"}, {"job", "j"}, {"state", "SUCCEEDED"}});
  EXPECT_EQ(data.str(), "j  checkpoint j@7\n");
  EXPECT_EQ(progress.str(), "");
  EXPECT_EQ(RenderLogLine({{"type", "result"}, {"job", "j"}, {"state", "SUCCEEDED"}}),
            "j  SUCCEEDED");
  const Json starts = {{"type", "state"}, {"state", "STARTING"}, {"reason", "loading_state"}};
  EXPECT_EQ(RenderLogLine(starts), "  STARTING: Loads its state");
}

TEST(EventOutput, BarIsRedrawnAndCleared) {
  std::ostringstream data, progress;
  FixedClock clock;
  int columns = 100;
  EventOutput output({.style = EventStyle::kBar,
                      .columns = [&] { return columns; },
                      .data = &data,
                      .progress = &progress,
                      .clock = &clock});
  clock.now = {1'000'000'000};
  output.Show(Round(1));
  EXPECT_TRUE(progress.str().starts_with("\rlenet-1"));
  output.Show({{"type", "warning"}, {"job", "j"}, {"message", "careful"}});
  EXPECT_NE(progress.str().find("\r\x1b[Kj  warning: careful\n"), std::string::npos);
  // The terminal has become narrower.
  columns = 40;
  progress.str("");
  clock.now = {2'000'000'000};
  output.Show(Round(2));
  EXPECT_LE(progress.str().size(), 40 + std::string("\r\x1b[K").size());
}

// A terminal prints "^C" after the bar. A full line would wrap, and half of it would remain.
TEST(EventOutput, BarLeavesRoomForInput) {
  std::ostringstream data, progress;
  FixedClock clock;
  EventOutput output({.style = EventStyle::kBar,
                      .columns = [] { return 80; },
                      .data = &data,
                      .progress = &progress,
                      .clock = &clock});
  clock.now = {1'000'000'000};
  output.Show(Round(1));
  EXPECT_LE(progress.str().size() + std::string("^C").size(), 79 + std::string("\r\x1b[K").size());
}

// The end of an epoch is usually a checkpoint. A single line reports both, whichever event comes
// first.
TEST(EventOutput, CheckpointAtEpochEndIsHidden) {
  std::ostringstream data, progress;
  EventOutput output({.style = EventStyle::kLines, .data = &data, .progress = &progress});
  const auto checkpoint = [](int64_t round) {
    return Json{{"type", "checkpoint"},
                {"job", "j"},
                {"round", round},
                {"checkpoint", "j@" + std::to_string(round)}};
  };
  const auto epoch = [](int64_t n) {
    return Json{
        {"type", "epoch"}, {"job", "j"}, {"epoch", n}, {"epochs_total", 2}, {"round", 10 * n}};
  };
  output.Show(checkpoint(7));
  output.Show(Round(8));
  output.Show(epoch(1));
  output.Show(checkpoint(10));
  output.Show(checkpoint(20));
  output.Show(epoch(2));
  output.Show(checkpoint(23));
  output.Show({{"type", "state"}, {"job", "j"}, {"state", "SUCCEEDED"}});
  EXPECT_EQ(progress.str(),
            "j  checkpoint j@7\nj  epoch 1/2\nj  epoch 2/2\nj  checkpoint j@23\nj  SUCCEEDED\n");
}

TEST(Progress, EarlyStoppingShowsBestCheckpoint) {
  Json result = {
      {"job", "j"},
      {"state", "SUCCEEDED"},
      {"reason", "early_stopping"},
      {"checkpoint", "j@50"},
      {"metrics", {{"test", {{"loss", 0.5}}}}},
      {"best",
       {{"checkpoint", "j@20"}, {"epoch", 2}, {"test", {{"loss", 0.25}, {"accuracy", 0.9}}}}}};
  const std::string text = RenderResult(result, {});
  EXPECT_NE(text.find("best           j@20, epoch 2: test loss 0.2500, accuracy 90.00 %"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("evaluate j@20"), std::string::npos) << text;
  EXPECT_NE(text.find("export j@20"), std::string::npos) << text;
  EXPECT_NE(text.find("SUCCEEDED (Stopped early, no further gain)"), std::string::npos) << text;
  result["reason"] = "all_epochs_done";
  EXPECT_NE(RenderResult(result, {}).find("export j@50"), std::string::npos);
}

TEST(Progress, NoTestSetGivesNoEvaluateAdvice) {
  const Json result = {{"job", "j"},
                       {"state", "SUCCEEDED"},
                       {"checkpoint", "j@50"},
                       {"metrics", {{"train", {{"loss", 0.5}}}}}};
  EXPECT_EQ(RenderResult(result, {}).find("evaluate"), std::string::npos);
  EXPECT_NE(RenderResult(result, {}).find("export"), std::string::npos);
}

}  // namespace
}  // namespace dl::cli
