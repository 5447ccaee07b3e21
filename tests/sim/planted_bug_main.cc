// Runs schedules until one breaks an invariant. Starts with the schedule that the bug's file names,
// which is known to find the bug although many before it do not. Exit code 0: the bug was found,
// and the breach has the expected message.
#include <charconv>
#include <iostream>
#include <string_view>

#include "tests/sim/sim_cluster.h"

namespace {

constexpr uint64_t kSchedules = 2000;  // many more than any of the bugs needs

// Whether `text` contains one of the pieces, which are separated by "|".
bool HasOneOf(std::string_view text, std::string_view pieces) {
  for (;;) {
    const size_t bar = pieces.find('|');
    if (text.find(pieces.substr(0, bar)) != std::string_view::npos) return true;
    if (bar == std::string_view::npos) return false;
    pieces.remove_prefix(bar + 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t first = 1;
  const std::string_view number = argc == 3 ? argv[2] : "1";
  const auto read = std::from_chars(number.begin(), number.end(), first);
  if (argc < 2 || argc > 3 || read.ptr != number.end() || first < 1 || first > kSchedules) {
    std::cerr << "usage: " << argv[0] << " <what the breach must say: one|of|these> [schedule]\n";
    return 2;
  }
  for (uint64_t tried = 0; tried < kSchedules; ++tried) {
    const uint64_t seed = (first - 1 + tried) % kSchedules + 1;
    const std::string breach = dl::sim::RunSchedule(seed).breach;
    if (breach.empty()) continue;
    std::cout << "schedule " << seed << ": " << breach << "\n";
    if (HasOneOf(breach, argv[1])) return 0;
    std::cerr << "the planted bug was found by another breach than \"" << argv[1] << "\"\n";
    return 1;
  }
  std::cerr << "the planted bug was not found in " << kSchedules << " schedules\n";
  return 1;
}
