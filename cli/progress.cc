#include "cli/progress.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/json_fields.h"

namespace dl::cli {
namespace {

constexpr int kWidestBar = 30;
constexpr int kNarrowestBar = 5;

std::optional<double> Number(const Json& json, const char* group, const char* key) {
  const Json* found = Member(json, group);
  const Json* value = found == nullptr ? nullptr : Member(*found, key);
  // A loss that is not finite is null in JSON.
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

std::string Measures(const char* name, std::optional<double> loss, std::optional<double> accuracy) {
  std::string text;
  if (loss) absl::StrAppendFormat(&text, "  %sloss %.4f", name, *loss);
  if (accuracy) absl::StrAppendFormat(&text, "  %saccuracy %.2f %%", name, 100 * *accuracy);
  return text;
}

std::string Figures(const JobProgress& progress) {
  std::string text = Measures("", progress.train_loss, progress.train_accuracy);
  if (progress.examples_per_second > 0)
    absl::StrAppendFormat(&text, "  %.0f ex/s", progress.examples_per_second);
  if (auto left = progress.SecondsLeft()) absl::StrAppend(&text, "  ETA ", FormatSeconds(*left));
  return text;
}

std::string Place(const JobProgress& progress) {
  std::string text;
  if (progress.epoch > 0) {
    absl::StrAppend(&text, "  epoch ", progress.epoch,
                    progress.epochs > 0 ? absl::StrCat("/", progress.epochs) : "");
  }
  return text;
}

std::string RoundText(const JobProgress& progress) {
  if (progress.rounds <= 0) return "";
  return absl::StrCat("  round ", progress.round, "/", progress.rounds,
                      progress.replayed ? " (again)" : "");
}

// A state that is not RUNNING says why.
std::string StateText(const JobProgress& progress) {
  if (progress.state.empty() || progress.state == "RUNNING") return "";
  return absl::StrCat("  ", progress.state, progress.message.empty() ? "" : ": ", progress.message);
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
    message = TextAt(event, "message");
  } else if (type == "round") {
    round = IntegerAt(event, "round");
    rounds = IntegerAt(event, "rounds");
    epoch = IntegerAt(event, "epoch");
    examples = IntegerAt(event, "examples");
    train_loss = Number(event, "train", "loss");
    train_accuracy = Number(event, "train", "accuracy");
    examples_per_second = NumberAt(event, "examples_per_second");
    replayed = FlagAt(event, "replayed");
  } else if (type == "epoch") {
    epoch = IntegerAt(event, "epoch");
    epochs = IntegerAt(event, "epochs");
    test_loss = Number(event, "test", "loss");
    test_accuracy = Number(event, "test", "accuracy");
  }
}

std::optional<double> JobProgress::SecondsLeft() const {
  if (round <= 0 || rounds < round || examples <= 0 || examples_per_second <= 0)
    return std::nullopt;
  const double per_round = static_cast<double>(examples) / static_cast<double>(round);
  return static_cast<double>(rounds - round) * per_round / examples_per_second;
}

std::string RenderBar(const JobProgress& progress, int columns) {
  std::string left = progress.job;
  absl::StrAppend(&left, Place(progress));
  std::string right = absl::StrCat(RoundText(progress), Figures(progress), StateText(progress));
  const int room = columns - static_cast<int>(left.size() + right.size()) - 4;
  std::string bar;
  if (progress.rounds > 0 && room >= kNarrowestBar) {
    const int width = std::min(room, kWidestBar);
    const int filled =
        static_cast<int>(std::clamp<int64_t>(width * progress.round / progress.rounds, 0, width));
    bar = absl::StrCat("  [", std::string(filled, '='), filled < width ? ">" : "",
                       std::string(std::max(0, width - filled - 1), ' '), "]");
  }
  std::string line = absl::StrCat(left, bar, right);
  if (static_cast<int>(line.size()) > std::max(0, columns)) line.resize(std::max(0, columns));
  return line;
}

std::string RenderLine(const JobProgress& progress) {
  return absl::StrCat(progress.job, Place(progress), RoundText(progress), Figures(progress),
                      StateText(progress));
}

std::string RenderEvent(const Json& event) {
  const std::string type = TextAt(event, "type"), job = TextAt(event, "job"),
                    message = TextAt(event, "message");
  if (type == "state") {
    return absl::StrCat(job, "  ", TextAt(event, "state"), message.empty() ? "" : ": ", message);
  }
  if (type == "warning") return absl::StrCat(job, "  warning: ", message);
  if (type == "checkpoint") return absl::StrCat(job, "  checkpoint ", TextAt(event, "checkpoint"));
  if (type == "epoch") {
    JobProgress epoch;
    epoch.Apply(event);
    return absl::StrCat(
        job, Place(epoch),
        Measures("train ", Number(event, "train", "loss"), Number(event, "train", "accuracy")),
        Measures("test ", epoch.test_loss, epoch.test_accuracy));
  }
  return "";
}

std::string RenderResult(const Json& result, const NextSteps& next) {
  const std::string job = TextAt(result, "job"), state = TextAt(result, "state"),
                    reason = TextAt(result, "reason");
  const std::string sha = TextAt(result, "state_sha256"), checkpoint = TextAt(result, "checkpoint");
  std::string text = absl::StrCat("job            ", job, "\nstate          ", state);
  if (!reason.empty()) absl::StrAppend(&text, " (", reason, ")");
  absl::StrAppend(&text, "\n");
  if (const Json* metrics = Member(result, "metrics"); metrics != nullptr) {
    for (const char* split : {"train", "test"}) {
      if (auto loss = Number(*metrics, split, "loss")) {
        absl::StrAppendFormat(&text, "%-14s %.6f\n", absl::StrCat(split, " loss"), *loss);
      }
      if (auto accuracy = Number(*metrics, split, "accuracy")) {
        absl::StrAppendFormat(&text, "%-14s %.2f %%\n", absl::StrCat(split, " accuracy"),
                              100 * *accuracy);
      }
    }
  }
  absl::StrAppendFormat(
      &text, "trained        %d epochs, %d rounds, %d examples in %s (%.0f examples/s)\n",
      IntegerAt(result, "epochs"), IntegerAt(result, "rounds"), IntegerAt(result, "examples"),
      FormatSeconds(NumberAt(result, "wall_seconds")), NumberAt(result, "examples_per_second"));
  if (!sha.empty()) absl::StrAppend(&text, "state_sha256   ", sha, "\n");
  if (!checkpoint.empty()) absl::StrAppend(&text, "checkpoint     ", checkpoint, "\n");
  if (!next.data_dir.empty()) absl::StrAppend(&text, "data dir       ", next.data_dir, "\n");
  if (const Json* error = Member(result, "error"); error != nullptr) {
    for (const auto& [label, key] :
         {std::pair("error", "message"), std::pair("at", "where"), std::pair("try", "remedy")}) {
      if (const std::string value = TextAt(*error, key); !value.empty())
        absl::StrAppendFormat(&text, "%-14s %s\n", label, value);
    }
  }
  absl::StrAppend(&text, "next:\n");
  if (state == "CANCELLED" || state == "FAILED") {
    absl::StrAppend(&text, "  dl-submit resume", next.run_flags, " ", job, "\n");
  }
  if (!checkpoint.empty()) {
    absl::StrAppend(&text, "  dl-submit evaluate", next.store_flags, " ", checkpoint,
                    "\n  dl-submit export", next.store_flags, " ", checkpoint,
                    " --format safetensors -o ", job, ".safetensors\n");
  }
  absl::StrAppend(&text, "  dl-submit inspect", next.store_flags, " ", job, "\n");
  return text;
}

}  // namespace dl::cli
