#include "bench/program.h"

#include <iostream>

namespace dl::bench {
namespace {

int Failed(const Status& status, int exit_code) {
  std::cerr << "error: " << DescribeError(status) << "\n";
  return exit_code;
}

}  // namespace

int RunProgram(int argc, char** argv, cli::Flags& flags, const std::function<Status()>& run) {
  if (const Status parsed = flags.Parse({argv + 1, argv + argc}); !parsed.ok())
    return Failed(parsed, 2);
  if (flags.help_wanted()) {
    std::cout << flags.Help();
    return 0;
  }
  const Status done = run();
  return done.ok() ? 0 : Failed(done, 1);
}

}  // namespace dl::bench
