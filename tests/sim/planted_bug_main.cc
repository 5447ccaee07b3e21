// Runs schedules until one breaks an invariant. Starts with the schedule that the bug's file names,
// which is known to find the bug although many before it do not. The schedules run in a child,
// because a check of the product (DL_CHECK) may find the bug and abort. Exit code 0: the bug was
// found, and the breach or the failed check has the expected message.
#include <charconv>
#include <csignal>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/process.h"
#include "tests/sim/sim_cluster.h"
#include "tests/support/temp_folder.h"

namespace {

constexpr uint64_t kSchedules = 2000;                   // many more than any of the bugs needs
constexpr dl::Duration kLimit = std::chrono::hours(1);  // the test has a shorter one
constexpr std::string_view kHere = "--here";

// Whether `text` contains one of the pieces, which are separated by "|".
bool HasOneOf(std::string_view text, std::string_view pieces) {
  for (;;) {
    const size_t bar = pieces.find('|');
    if (text.find(pieces.substr(0, bar)) != std::string_view::npos) return true;
    if (bar == std::string_view::npos) return false;
    pieces.remove_prefix(bar + 1);
  }
}

// Runs the schedules in this process. Returns the exit code.
int RunSchedules(std::string_view finds, uint64_t first) {
  for (uint64_t tried = 0; tried < kSchedules; ++tried) {
    const uint64_t seed = (first - 1 + tried) % kSchedules + 1;
    const std::string breach = dl::sim::RunSchedule(seed).breach;
    if (breach.empty()) continue;
    std::cout << "schedule " << seed << ": " << breach << "\n";
    if (HasOneOf(breach, finds)) return 0;
    std::cerr << "the planted bug was found by another breach than \"" << finds << "\"\n";
    return 1;
  }
  std::cerr << "the planted bug was not found in " << kSchedules << " schedules\n";
  return 1;
}

// Runs the schedules in a child. Returns the exit code, which is 0 if a check with the expected
// message aborted the child.
int RunChild(const std::string& program, const std::string& finds, uint64_t first) {
  const dl::test::TempFolder folder;
  const std::string errors = folder / "errors";
  auto child = dl::Spawner::Real().Start(
      {.argv = {program, finds, std::to_string(first), std::string(kHere)},
       .err = dl::ChildOutput::File(errors)});
  if (!child.ok()) {
    std::cerr << child.status() << "\n";
    return 1;
  }
  const auto end = (*child)->Wait(kLimit);
  std::ifstream file(errors);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::cerr << text;
  if (!end.ok()) {
    std::cerr << end.status() << "\n";
    return 1;
  }
  if (end->signal == 0) return end->code;
  std::cerr << "the child " << dl::ToString(*end) << "\n";
  return end->signal == SIGABRT && HasOneOf(text, finds) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t first = 1;
  const std::string_view number = argc >= 3 ? argv[2] : "1";
  const auto read = std::from_chars(number.begin(), number.end(), first);
  const bool here = argc == 4 && argv[3] == kHere;
  if (argc < 2 || argc > (here ? 4 : 3) || read.ptr != number.end() || first < 1 ||
      first > kSchedules) {
    std::cerr << "usage: " << argv[0]
              << " <what the breach or check must say: one|of|these> [schedule] [" << kHere
              << "]\n";
    return 2;
  }
  return here ? RunSchedules(argv[1], first) : RunChild(argv[0], argv[1], first);
}
