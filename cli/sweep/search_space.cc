#include "cli/sweep/search_space.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/philox.h"
#include "cli/exit_code.h"

namespace dl::cli {
namespace {

Status BadFlag(const std::string& flag, const std::string& text, const std::string& message) {
  return UsageError({.message = absl::StrCat(message, " in \"", text, "\""),
                     .where = flag,
                     .remedy = flag == "--grid" ? "Write PATH=A,B,C, such as training.epochs=1,2"
                                                : "Write PATH=LOW:HIGH or PATH=LOW:HIGH:log, such "
                                                  "as training.batch_size=16:256"});
}

// Splits at commas outside of brackets, braces and quotation marks.
std::vector<std::string> SplitValues(std::string_view text) {
  std::vector<std::string> values(1);
  int depth = 0;
  bool quoted = false, escaped = false;
  for (const char c : text) {
    if (c == '"' && !escaped) quoted = !quoted;
    escaped = quoted && c == '\\' && !escaped;
    if (!quoted && (c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ']' || c == '}')) --depth;
    if (c == ',' && depth == 0 && !quoted) {
      values.emplace_back();
    } else {
      values.back() += c;
    }
  }
  return values;
}

// Sets path and values of "PATH=VALUES". Returns false for other text.
bool SplitPath(const std::string& text, std::string& path, std::string& values) {
  const size_t at = text.find('=');
  if (at == std::string::npos || at == 0) return false;
  path = text.substr(0, at);
  values = text.substr(at + 1);
  return true;
}

StatusOr<SearchSpace::List> ParseGrid(const std::string& text) {
  SearchSpace::List list;
  std::string values;
  if (!SplitPath(text, list.path, values)) return BadFlag("--grid", text, "there is no PATH=");
  list.values = SplitValues(values);
  if (std::ranges::find(list.values, "") != list.values.end())
    return BadFlag("--grid", text, "a value is empty");
  if (std::set(list.values.begin(), list.values.end()).size() < list.values.size())
    return BadFlag("--grid", text, "a value occurs twice");
  return list;
}

StatusOr<SearchSpace::Range> ParseRange(const std::string& text) {
  SearchSpace::Range range;
  std::string values;
  if (!SplitPath(text, range.path, values)) return BadFlag("--range", text, "there is no PATH=");
  const std::vector<std::string> parts = absl::StrSplit(values, ':');
  range.is_log = parts.size() == 3 && parts[2] == "log";
  if ((parts.size() != 2 && !range.is_log) || !absl::SimpleAtod(parts[0], &range.low) ||
      !absl::SimpleAtod(parts[1], &range.high) || !std::isfinite(range.low) ||
      !std::isfinite(range.high))
    return BadFlag("--range", text, "there are no two numbers");
  if (range.low >= range.high) return BadFlag("--range", text, "LOW is not below HIGH");
  if (range.is_log && range.low <= 0) return BadFlag("--range", text, "LOW is not above 0");
  int64_t whole = 0;
  range.is_whole = absl::SimpleAtoi(parts[0], &whole) && absl::SimpleAtoi(parts[1], &whole);
  return range;
}

// Returns the number of combinations of the lists; kMaxTrials + 1 if there are more.
int64_t Combinations(const SearchSpace& space) {
  int64_t count = 1;
  for (const SearchSpace::List& list : space.lists) {
    count *= std::ssize(list.values);
    if (count > kMaxTrials) return kMaxTrials + 1;
  }
  return count;
}

std::vector<TrialSettings> AllCombinations(const SearchSpace& space) {
  std::vector<TrialSettings> trials(1);
  for (const SearchSpace::List& list : space.lists) {
    std::vector<TrialSettings> longer;
    for (const TrialSettings& trial : trials) {
      for (const std::string& value : list.values) {
        longer.push_back(trial);
        longer.back().push_back({list.path, value});
      }
    }
    trials = std::move(longer);
  }
  return trials;
}

// Returns a uniform number in [0, 1) with 53 bits, a pure function of the four numbers.
double UniformAt(uint64_t seed, uint32_t draw, uint32_t setting) {
  constexpr uint32_t kSweep = 0x53574550;  // keeps the numbers apart from other uses of the seed
  const auto bits = Philox4x32({draw, setting, kSweep, 0},
                               {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  return static_cast<double>((uint64_t{bits[0]} << 32 | bits[1]) >> 11) * 0x1p-53;
}

std::string ValueAt(const SearchSpace::Range& range, double uniform) {
  const double width = range.is_whole ? range.high - range.low + 1 : range.high - range.low;
  double value = range.is_log ? range.low * std::pow((range.low + width) / range.low, uniform)
                              : range.low + width * uniform;
  if (!range.is_whole) return absl::StrFormat("%.6g", value);
  value = std::min(std::floor(value), range.high);
  return absl::StrCat(static_cast<int64_t>(value));
}

TrialSettings Draw(const SearchSpace& space, uint64_t seed, uint32_t draw) {
  TrialSettings trial;
  uint32_t setting = 0;
  for (const SearchSpace::List& list : space.lists) {
    const double at = UniformAt(seed, draw, setting++) * static_cast<double>(list.values.size());
    trial.push_back({list.path, list.values[static_cast<size_t>(at)]});
  }
  for (const SearchSpace::Range& range : space.ranges)
    trial.push_back({range.path, ValueAt(range, UniformAt(seed, draw, setting++))});
  return trial;
}

}  // namespace

StatusOr<SearchSpace> ParseSearchSpace(const std::vector<std::string>& grids,
                                       const std::vector<std::string>& ranges) {
  SearchSpace space;
  std::set<std::string> paths;
  for (const std::string& text : grids) {
    DL_ASSIGN_OR_RETURN(SearchSpace::List list, ParseGrid(text));
    if (!paths.insert(list.path).second)
      return BadFlag("--grid", text, "the path occurs in another flag");
    space.lists.push_back(std::move(list));
  }
  for (const std::string& text : ranges) {
    DL_ASSIGN_OR_RETURN(SearchSpace::Range range, ParseRange(text));
    if (!paths.insert(range.path).second)
      return BadFlag("--range", text, "the path occurs in another flag");
    space.ranges.push_back(std::move(range));
  }
  return space;
}

StatusOr<std::vector<TrialSettings>> TrialsOf(const SearchSpace& space, int64_t random,
                                              uint64_t seed) {
  const int64_t combinations = Combinations(space);
  const bool takes_all = random == 0 || (space.ranges.empty() && combinations <= random);
  if (takes_all && combinations > kMaxTrials) {
    return UsageError(
        {.message = absl::StrCat("the grid has more than ", kMaxTrials, " combinations"),
         .where = "--grid",
         .remedy = "Name fewer values, or draw some of them with --random N"});
  }
  if (takes_all) return AllCombinations(space);
  constexpr int64_t kDrawsForEach = 100;
  std::vector<TrialSettings> trials;
  for (uint32_t draw = 0; std::ssize(trials) < random; ++draw) {
    if (draw >= kDrawsForEach * random) {
      return UsageError({.message = absl::StrCat("only ", trials.size(), " different draws of ",
                                                 random, " were found"),
                         .where = "--random",
                         .remedy = "Draw fewer, or name more values"});
    }
    TrialSettings trial = Draw(space, seed, draw);
    if (std::ranges::find(trials, trial) == trials.end()) trials.push_back(std::move(trial));
  }
  return trials;
}

}  // namespace dl::cli
