#include "cli/output/progress_bar.h"

#include <algorithm>
#include <ctime>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "base/printable.h"
#include "base/sentences.h"
#include "cli/output/json_fields.h"
#include "cli/output/loss_text.h"
#include "web/documents/reason_text.h"

namespace dl::cli {
namespace {

constexpr int kWidestBar = 30;
constexpr int kNarrowestBar = 5;
constexpr char kNextLine[] = "\n               ";  // indentation of a value in the text of a result

std::optional<double> Number(const Json& json, const char* group, const char* key) {
  const Json* found = Member(json, group);
  const Json* value = found == nullptr ? nullptr : Member(*found, key);
  // A loss that is not finite is null in JSON.
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

std::string Measures(const char* name, std::optional<double> loss, std::optional<double> accuracy) {
  std::string text;
  if (loss) absl::StrAppend(&text, "  ", name, "loss ", LossText(*loss, 4));
  if (accuracy) absl::StrAppendFormat(&text, "  %saccuracy %.2f %%", name, 100 * *accuracy);
  return text;
}

std::string Speed(const JobProgress& progress) {
  return progress.examples_per_second > 0
             ? absl::StrFormat("  %.0f ex/s", progress.examples_per_second)
             : "";
}

std::string TimeLeft(const JobProgress& progress) {
  const auto left = progress.SecondsLeft();
  return left ? absl::StrCat("  ETA ", FormatSeconds(*left)) : "";
}

std::string Place(const JobProgress& progress) {
  std::string text;
  if (progress.epoch > 0) {
    absl::StrAppend(&text, "  epoch ", progress.epoch,
                    progress.epochs > 0 ? absl::StrCat("/", progress.epochs) : "");
  }
  return text;
}

// Returns the progress of the epoch: " (40 %)".
std::string EpochShare(const JobProgress& progress) {
  const auto percent = progress.EpochPercent();
  return percent ? absl::StrCat(" (", *percent, " %)") : "";
}

std::string RoundText(const JobProgress& progress) {
  if (progress.rounds <= 0) return "";
  return absl::StrCat("  round ", progress.round, "/", progress.rounds,
                      progress.replayed ? " (again)" : "");
}

// Returns the message of a state or warning, and the remedy after it.
std::string MessageOf(const Json& event) {
  return JoinSentences(TextAt(event, "message"), TextAt(event, "remedy"));
}
// Returns it for the middle of a line. Escapes it, because an executor may have written a part.
std::string MessageInLine(const Json& event) { return PrintableName(MessageOf(event)); }

// A state other than RUNNING has a reason.
std::string StateText(const JobProgress& progress) {
  return progress.state.empty() || progress.state == "RUNNING" ? "" : "  " + progress.state;
}
std::string Why(const JobProgress& progress) {
  const bool told = StateText(progress).empty() || progress.message.empty();
  return told ? "" : ": " + PrintableName(progress.message);
}

// A piece of a line for a terminal. If the line is too long, pieces with the least weight are left
// out.
struct Piece {
  std::string text;
  int weight;
};
constexpr int kAlways = 100;

size_t Length(const std::vector<Piece>& pieces) {
  size_t length = 0;
  for (const Piece& piece : pieces) length += piece.text.size();
  return length;
}

void Fit(std::vector<Piece>& pieces, size_t columns) {
  std::erase_if(pieces, [](const Piece& piece) { return piece.text.empty(); });
  while (Length(pieces) > columns) {
    const auto lightest =
        std::min_element(pieces.begin(), pieces.end(),
                         [](const Piece& a, const Piece& b) { return a.weight < b.weight; });
    if (lightest == pieces.end() || lightest->weight == kAlways) return;
    pieces.erase(lightest);
  }
}

std::string Join(const std::vector<Piece>& pieces, size_t columns) {
  std::string line;
  for (const Piece& piece : pieces) line += piece.text;
  return line.substr(0, columns);  // a name longer than the terminal
}

// Returns the bar. It shows the progress of the whole job, not of the epoch.
std::string BarText(const JobProgress& progress, int width) {
  const int filled =
      static_cast<int>(std::clamp<int64_t>(width * progress.round / progress.rounds, 0, width));
  return absl::StrCat("  [", std::string(filled, '='), filled < width ? ">" : "",
                      std::string(std::max(0, width - filled - 1), ' '), "] ",
                      std::clamp<int64_t>(100 * progress.round / progress.rounds, 0, 100), " %");
}

// "  train 0.4318, 84.32 %"
std::string ShortMeasures(const char* name, std::optional<double> loss,
                          std::optional<double> accuracy) {
  if (!loss && !accuracy) return "";
  std::string text = absl::StrCat("  ", name);
  if (loss) absl::StrAppend(&text, " ", LossText(*loss, 4));
  if (accuracy) absl::StrAppendFormat(&text, "%s %.2f %%", loss ? "," : "", 100 * *accuracy);
  return text;
}

// "  test roc_auc 0.9731"
std::string WatchedText(const JobProgress& epoch) {
  if (!epoch.watched_value) return "";
  return absl::StrFormat("  test %s %.4g", epoch.watched, *epoch.watched_value);
}

std::string RenderEpoch(const Json& event, size_t columns) {
  JobProgress epoch;
  epoch.Apply(event);
  const auto train_loss = Number(event, "train", "loss"),
             train_accuracy = Number(event, "train", "accuracy");
  const std::string line =
      absl::StrCat(epoch.job, Place(epoch), Measures("train ", train_loss, train_accuracy),
                   Measures("test ", epoch.test_loss, epoch.test_accuracy), WatchedText(epoch));
  if (line.size() <= columns) return line;
  std::vector<Piece> pieces = {{epoch.job, kAlways},
                               {Place(epoch), 3},
                               {ShortMeasures("train", train_loss, train_accuracy), 1},
                               {ShortMeasures("test", epoch.test_loss, epoch.test_accuracy), 2},
                               {WatchedText(epoch), 2}};
  Fit(pieces, columns);
  return Join(pieces, columns);
}

// "lenet-1@940, epoch 2: test loss 0.3012, accuracy 89.10 %"
std::string BestText(const Json& best) {
  std::string text =
      absl::StrCat(TextAt(best, "checkpoint"), ", epoch ", IntegerAt(best, "epoch"), ":");
  if (auto loss = Number(best, "test", "loss"))
    absl::StrAppend(&text, " test loss ", LossText(*loss, 4));
  if (auto accuracy = Number(best, "test", "accuracy"))
    absl::StrAppendFormat(&text, ", accuracy %.2f %%", 100 * *accuracy);
  return text;
}

}  // namespace

std::string FormatSeconds(double seconds) {
  const int64_t whole = seconds < 0 ? 0 : static_cast<int64_t>(std::min(seconds, 1e9) + 0.5);
  if (whole >= 3600)
    return absl::StrFormat("%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
  return absl::StrFormat("%d:%02d", whole / 60, whole % 60);
}

void JobProgress::Apply(const Json& event) {
  const std::string type = TextAt(event, "type");
  if (Member(event, "job") != nullptr) job = TextAt(event, "job");
  if (type == "state") {
    state = TextAt(event, "state");
    reason = TextAt(event, "reason");
    message = MessageOf(event);
  } else if (type == "round") {
    round = IntegerAt(event, "round");
    rounds = IntegerAt(event, "rounds_total");
    epoch = IntegerAt(event, "epoch");
    examples = IntegerAt(event, "examples");
    train_loss = Number(event, "train", "loss");
    train_accuracy = Number(event, "train", "accuracy");
    examples_per_second = NumberAt(event, "examples_per_second");
    replayed = FlagAt(event, "replayed");
  } else if (type == "epoch") {
    epoch = IntegerAt(event, "epoch");
    epochs = IntegerAt(event, "epochs_total");
    test_loss = Number(event, "test", "loss");
    test_accuracy = Number(event, "test", "accuracy");
    watched = TextAt(event, "watched");
    watched_value = Number(event, "figures", watched.c_str());
  }
}

std::optional<int> JobProgress::EpochPercent() const {
  if (epochs <= 0 || epoch <= 0 || rounds <= 0) return std::nullopt;
  const int64_t done = round * epochs - (epoch - 1) * rounds;  // in rounds / epochs
  if (done < 0 || done > rounds) return std::nullopt;
  return static_cast<int>(100 * done / rounds);
}

std::optional<double> JobProgress::SecondsLeft() const {
  if (round <= 0 || rounds < round || examples <= 0 || examples_per_second <= 0)
    return std::nullopt;
  const double per_round = static_cast<double>(examples) / static_cast<double>(round);
  return static_cast<double>(rounds - round) * per_round / examples_per_second;
}

std::string RenderBar(const JobProgress& progress, int columns) {
  constexpr int kBarWeight = 8;
  const size_t room = std::max(0, columns);
  std::vector<Piece> pieces = {
      {progress.job, kAlways},
      {progress.rounds > 0 ? BarText(progress, kNarrowestBar) : "", kBarWeight},
      {Place(progress), 5},
      {EpochShare(progress), 4},
      {RoundText(progress), 2},
      {Measures("", progress.train_loss, std::nullopt), 6},
      {Measures("", std::nullopt, progress.train_accuracy), 3},
      {Speed(progress), 1},
      {TimeLeft(progress), 7},
      {StateText(progress), 9},
      {Why(progress), 0}};  // also shown above the bar, as an event
  Fit(pieces, room);
  const size_t left = room - std::min(room, Length(pieces));
  for (Piece& piece : pieces) {
    if (piece.weight == kBarWeight)
      piece.text =
          BarText(progress, static_cast<int>(std::min<size_t>(kNarrowestBar + left, kWidestBar)));
  }
  return Join(pieces, room);
}

std::string RenderLine(const JobProgress& progress) {
  return absl::StrCat(progress.job, Place(progress), EpochShare(progress), RoundText(progress),
                      Measures("", progress.train_loss, progress.train_accuracy), Speed(progress),
                      TimeLeft(progress), StateText(progress), Why(progress));
}

std::string RenderEvent(const Json& event, int columns) {
  const std::string type = TextAt(event, "type"), job = TextAt(event, "job"),
                    message = MessageInLine(event);
  if (type == "state") {
    return absl::StrCat(job, "  ", TextAt(event, "state"), message.empty() ? "" : ": ", message);
  }
  if (type == "warning") return absl::StrCat(job, "  warning: ", message);
  if (type == "checkpoint") return absl::StrCat(job, "  checkpoint ", TextAt(event, "checkpoint"));
  if (type == "epoch") return RenderEpoch(event, std::max(0, columns));
  return "";
}

namespace {

// Returns "2026-01-31T12:00:00Z  "; empty if the event has no time.
std::string TimeOf(const Json& event) {
  const std::time_t seconds = IntegerAt(event, "unix_ms") / 1000;
  if (seconds <= 0) return "";
  std::tm time = {};
  if (gmtime_r(&seconds, &time) == nullptr) return "";
  return absl::StrFormat("%04d-%02d-%02dT%02d:%02d:%02dZ  ", time.tm_year + 1900, time.tm_mon + 1,
                         time.tm_mday, time.tm_hour, time.tm_min, time.tm_sec);
}

}  // namespace

std::string RenderLogLine(const Json& event) {
  const std::string type = TextAt(event, "type");
  if (type != "result" && type != "state") {
    const std::string line = RenderEvent(event);
    return line.empty() ? "" : TimeOf(event) + line;
  }
  const std::string message = MessageInLine(event);
  const std::string why =
      message.empty() ? PrintableName(web::ReasonText(TextAt(event, "reason"))) : message;
  return absl::StrCat(TimeOf(event), TextAt(event, "job"), "  ", TextAt(event, "state"),
                      why.empty() ? "" : ": ", why);
}

std::string RenderResult(const Json& result, const NextSteps& next) {
  const std::string job = TextAt(result, "job"), state = TextAt(result, "state"),
                    reason = TextAt(result, "reason");
  const std::string sha = TextAt(result, "state_sha256"), checkpoint = TextAt(result, "checkpoint");
  std::string text = absl::StrCat("job            ", job, "\nstate          ", state);
  if (!reason.empty()) absl::StrAppend(&text, " (", web::ReasonText(reason), ")");
  absl::StrAppend(&text, "\n");
  if (const Json* metrics = Member(result, "metrics"); metrics != nullptr) {
    for (const char* split : {"train", "test"}) {
      if (auto loss = Number(*metrics, split, "loss")) {
        absl::StrAppendFormat(&text, "%-14s %s\n", absl::StrCat(split, " loss"),
                              LossText(*loss, 6));
      }
      if (auto accuracy = Number(*metrics, split, "accuracy")) {
        absl::StrAppendFormat(&text, "%-14s %.2f %%\n", absl::StrCat(split, " accuracy"),
                              100 * *accuracy);
      }
    }
  }
  absl::StrAppendFormat(
      &text,
      "trained        %d epochs, %d rounds, %d examples\ntime           %s, %.0f examples/s\n",
      IntegerAt(result, "epochs"), IntegerAt(result, "rounds"), IntegerAt(result, "examples"),
      FormatSeconds(NumberAt(result, "wall_seconds")), NumberAt(result, "examples_per_second"));
  if (!sha.empty()) absl::StrAppend(&text, "state_sha256   ", sha, "\n");
  if (!checkpoint.empty()) absl::StrAppend(&text, "checkpoint     ", checkpoint, "\n");
  // With early stopping the user wants the best checkpoint, which is some epochs before the last.
  const Json* best = Member(result, "best");
  std::string advised = checkpoint;
  if (best != nullptr) {
    absl::StrAppend(&text, "best           ", BestText(*best), "\n");
    if (reason == "early_stopping") advised = TextAt(*best, "checkpoint");
  }
  if (const Json* stopping = Member(result, "early_stopping")) {
    absl::StrAppendFormat(&text, "best metric    %s %.4g in round %d\n",
                          TextAt(*stopping, "metric"), NumberAt(*stopping, "best"),
                          IntegerAt(*stopping, "round"));
  }
  if (!next.data_dir.empty()) absl::StrAppend(&text, "data dir       ", next.data_dir, "\n");
  if (const Json* error = Member(result, "error"); error != nullptr) {
    for (const auto& [label, key] :
         {std::pair("error", "message"), std::pair("at", "where"), std::pair("try", "remedy")}) {
      const std::string value = absl::StrReplaceAll(TextAt(*error, key), {{"\n", kNextLine}});
      if (!value.empty()) absl::StrAppendFormat(&text, "%-14s %s\n", label, value);
    }
  }
  absl::StrAppend(&text, "next:\n");
  if (reason == "not_finite") {
    absl::StrAppend(&text,
                    "  run it anew with other settings, such as --set "
                    "model.updater.learning_rate=...; a resume computes the same again\n");
  } else if (state == "CANCELLED" || state == "FAILED") {
    absl::StrAppend(&text, "  dl-submit resume", next.run_flags, " ", job, "\n");
  }
  if (!checkpoint.empty()) {
    // Without a test set there is nothing to evaluate on.
    const Json* metrics = Member(result, "metrics");
    if (metrics != nullptr && Member(*metrics, "test") != nullptr)
      absl::StrAppend(&text, "  dl-submit evaluate", next.store_flags, " ", advised, "\n");
    absl::StrAppend(&text, "  dl-submit export", next.store_flags, " ", advised,
                    " --format safetensors -o ", job, ".safetensors\n");
  }
  absl::StrAppend(&text, "  dl-submit ", checkpoint.empty() ? "status" : "inspect",
                  next.store_flags, " ", job, "\n");
  return text;
}

}  // namespace dl::cli
