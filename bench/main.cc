// bench NAME [options]: one program for all benchmarks, because each would link the whole master
// and executor.
#include <iostream>
#include <string_view>

#include "bench/programs.h"
#include "launch/process_setup.h"

namespace dl::bench {
namespace {

struct Program {
  std::string_view name;
  int (*run)(int argc, char** argv);
};
constexpr Program kPrograms[] = {
    {"core", RunCore},     {"crowd", RunCrowd},           {"gathering", RunGathering},
    {"hash", RunHash},     {"histograms", RunHistograms}, {"history", RunHistory},
    {"import", RunImport}, {"network", RunNetwork},       {"overhead", RunOverhead},
    {"pages", RunPages},   {"recovery", RunRecovery},     {"rounds", RunRounds},
    {"scale", RunScale},   {"series", RunSeries},         {"tls", RunTls},
};

int Main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  for (const Program& program : kPrograms) {
    if (program.name == name) return program.run(argc - 1, argv + 1);
  }
  const bool asked = name == "--help" || name == "-h";
  std::ostream& out = asked ? std::cout : std::cerr;
  if (!asked && !name.empty()) out << "error: there is no benchmark \"" << name << "\"\n";
  out << "usage: bench NAME [options], NAME --help says which; NAME is one of\n";
  for (const Program& program : kPrograms) out << "  " << program.name << "\n";
  return asked ? 0 : 2;
}

}  // namespace
}  // namespace dl::bench

int main(int argc, char** argv) {
  // For the benchmarks that run the engine beside a job.
  dl::launch::ReexecWithPassiveOpenMp(argv);
  return dl::bench::Main(argc, argv);
}
