#include "cli/environment.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "cli/settings.h"

namespace dl::cli {
namespace {

const std::string kPrefix = "DL_";

bool IsOurs(const std::string& name) { return name.starts_with(kPrefix); }

bool IsKnown(const std::string& name) {
  const auto& all = EnvironmentVariables();
  return std::any_of(all.begin(), all.end(),
                     [&](const EnvironmentVariable& variable) { return variable.name == name; });
}

// Returns the variable for users of which `name` is probably a misspelling, or "". Stricter than
// other suggestions, because other programs may have variables with this prefix.
std::string NearestVariable(const std::string& name) {
  const std::string word = name.substr(kPrefix.size());
  std::vector<std::string> known;
  for (const EnvironmentVariable& variable : EnvironmentVariables()) {
    if (variable.reader == EnvironmentVariable::Reader::kEveryone && IsOurs(variable.name))
      known.push_back(variable.name.substr(kPrefix.size()));
  }
  const std::string nearest = Nearest(word, known);
  if (nearest.empty() || 3 * EditDistance(word, nearest) > word.size()) return "";
  return kPrefix + nearest;
}

}  // namespace

const std::vector<EnvironmentVariable>& EnvironmentVariables() {
  using Reader = EnvironmentVariable::Reader;
  static const std::vector<EnvironmentVariable> kVariables = [] {
    std::vector<EnvironmentVariable> all;
    for (const PlaceKey& place : PlaceKeys()) {
      all.push_back({std::string(place.environment), Reader::kEveryone,
                     absl::StrCat("`", std::string(place.flag), "`")});
    }
    all.insert(
        all.end(),
        {{"DL_IMPORT_MEMORY", Reader::kEveryone,
          "`--memory` of `import`. Also applies to the other commands that read data: `run`, "
          "`submit`, `sweep`, `evaluate`, `predict`"},
         {"DL_LOG", Reader::kEveryone,
          "lowest level in the log on stderr: `debug`, `info`, `warning`, `error`, `off`. Daemons: "
          "`info`; other commands: `warning`"},
         {"DL_TERMINAL_TITLE", Reader::kEveryone,
          "`off`: progress is not shown in the title of the terminal and on its tab"},
         {"DL_TRACE", Reader::kEveryone,
          "folder for traces. Each process that is not killed writes the times of its steps there "
          "when it ends"}});
    for (const ShortcutKey& key : ShortcutKeys()) {
      all.push_back({std::string(key.environment), Reader::kEveryone,
                     absl::StrCat("`", std::string(key.flag), "` of a job, the key `",
                                  std::string(key.path), "`")});
    }
    all.insert(
        all.end(),
        {{"DL_FAIL_POINTS", Reader::kTests, "points in the code that fail (docs/testing.md)"},
         {"DL_TEST_DROP_UNSYNCED", Reader::kTests,
          "`1`: a kill of the master also drops data that it had not synced"},
         {"DL_BIN", Reader::kTests, "the folder of the programs under test"},
         {"DL_KEEP_TEMP", Reader::kTests, "keep the folders of tests"},
         {"DL_CRASH_KILLS", Reader::kTests, "number of kills in a crash test"},
         {"DL_NETWORK_AT_LENGTH", Reader::kTests,
          "network faults last their full time, not only until they are noticed"},
         {"DL_SIM_SEED", Reader::kTests, "the only schedule that the simulator runs"},
         {"DL_SIM_SCHEDULES", Reader::kTests, "number of schedules that the simulator runs"},
         {"DL_SIM_FIRST", Reader::kTests, "the first schedule that the simulator runs"},
         {"DL_BF16_TRIALS", Reader::kTests,
          "number of random convolutions that are computed in bf16 and in float32"},
         {"GOMP_SPINCOUNT", Reader::kEveryone,
          "how often a waiting OpenMP thread looks for work before it sleeps. With several cores "
          "and no OMP_WAIT_POLICY, commands set it to 10000 (0.2 ms). 0 suits several executors "
          "that share cores"},
         {"HOME", Reader::kEveryone,
          "the folder that contains `.config/paravane/config.json` and `.local/state/paravane`"},
         {"NO_COLOR", Reader::kEveryone, "unless empty, `top` uses no colors"},
         {"OMP_WAIT_POLICY", Reader::kEveryone,
          "commands that may compute set it to `passive` if it is not set. Otherwise OpenMP "
          "threads spin, which makes several processes on one machine ten times slower"},
         {"TERM", Reader::kEveryone,
          "`dumb`, or not set: `top` prints once and does not refresh. Commands then also show no "
          "progress in the title of the terminal"}});
    return all;
  }();
  return kVariables;
}

std::string MarkdownRow(const EnvironmentVariable& variable) {
  return absl::StrCat("| `", variable.name, "` | ",
                      variable.reader == EnvironmentVariable::Reader::kTests ? "tests: " : "",
                      variable.meaning, " |");
}

std::vector<std::string> UnreadVariables(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> unread;
  for (const auto& [name, value] : environment) {
    if (IsOurs(name) && !IsKnown(name)) unread.push_back(name);
  }
  return unread;
}

Status CheckEnvironment(const std::map<std::string, std::string>& environment) {
  for (const std::string& name : UnreadVariables(environment)) {
    const std::string meant = NearestVariable(name);
    if (meant.empty()) continue;
    return InvalidArgument(
        {.message = absl::StrCat("there is no variable ", name, "; did you mean \"", meant, "\"?"),
         .where = absl::StrCat("environment ", name),
         .remedy = "Unset it; docs/operations/settings.md lists the variables that are read"});
  }
  for (const auto& [name, value] : environment) {
    if (!IsOurs(name) || IsUtf8(value)) continue;
    return InvalidArgument({.message = "the value is not UTF-8 text",
                            .where = absl::StrCat("environment ", name),
                            .remedy = "Set it in UTF-8"});
  }
  if (auto log = environment.find("DL_LOG"); log != environment.end() && !log->second.empty()) {
    if (auto level = ParseLogLevel(log->second); !level.ok()) {
      return InvalidArgument({.message = std::string(level.status().message()),
                              .where = "environment DL_LOG",
                              .remedy = ErrorRemedy(level.status())});
    }
  }
  if (auto title = environment.find("DL_TERMINAL_TITLE");
      title != environment.end() && !title->second.empty() && title->second != "off") {
    return InvalidArgument({.message = absl::StrCat("\"", title->second, "\" is not \"off\""),
                            .where = "environment DL_TERMINAL_TITLE",
                            .remedy = "Set it to off, or unset it to show progress in the title"});
  }
  return absl::OkStatus();
}

}  // namespace dl::cli
