// The benchmarks, each as a program of its own would be: words without the program's name in front
// of the first, exit code. A source each, whose first lines say what it measures and prints.
#pragma once

namespace dl::bench {

int RunCore(int argc, char** argv);
int RunCrowd(int argc, char** argv);
int RunGathering(int argc, char** argv);
int RunHash(int argc, char** argv);
int RunImport(int argc, char** argv);
int RunNetwork(int argc, char** argv);
int RunOverhead(int argc, char** argv);
int RunRecovery(int argc, char** argv);
int RunRounds(int argc, char** argv);
int RunScale(int argc, char** argv);
int RunTls(int argc, char** argv);

}  // namespace dl::bench
