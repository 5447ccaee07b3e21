// The benchmarks. Each is called like a main function: argv[0] is the benchmark's name, and the
// result is the exit code. Each has a source of its own; its first lines describe what it measures
// and prints.
#pragma once

namespace dl::bench {

int RunCore(int argc, char** argv);
int RunCrowd(int argc, char** argv);
int RunGathering(int argc, char** argv);
int RunHash(int argc, char** argv);
int RunHistograms(int argc, char** argv);
int RunHistory(int argc, char** argv);
int RunImport(int argc, char** argv);
int RunNetwork(int argc, char** argv);
int RunOverhead(int argc, char** argv);
int RunPages(int argc, char** argv);
int RunRecovery(int argc, char** argv);
int RunRounds(int argc, char** argv);
int RunScale(int argc, char** argv);
int RunSeries(int argc, char** argv);
int RunTls(int argc, char** argv);

}  // namespace dl::bench
