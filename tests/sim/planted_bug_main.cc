// Runs schedules until one breaks an invariant. Exit code 0: found, and the breach says what was
// expected.
#include <iostream>
#include <regex>

#include "tests/sim/cluster.h"

namespace {

constexpr uint64_t kSchedules = 2000;  // many more than any of the bugs needs

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " <what the breach must say, a regular expression>\n";
    return 2;
  }
  for (uint64_t seed = 1; seed <= kSchedules; ++seed) {
    const std::string breach = dl::sim::RunSchedule(seed).breach;
    if (breach.empty()) continue;
    std::cout << "schedule " << seed << ": " << breach << "\n";
    if (std::regex_search(breach, std::regex(argv[1]))) return 0;
    std::cerr << "the planted bug was found by another breach than \"" << argv[1] << "\"\n";
    return 1;
  }
  std::cerr << "the planted bug was not found in " << kSchedules << " schedules\n";
  return 1;
}
