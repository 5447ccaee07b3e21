// Compares the time of training steps with a bound of the machine and with PyTorch
// (docs/testing.md).
//
// steps MODEL[:EXAMPLES]... [options]
#include <sched.h>

#include <cerrno>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/system_error.h"
#include "bench/program.h"
#include "bench/steps/report.h"
#include "speed/benchmark.h"

namespace dl::bench {
namespace {

struct Options {
  std::vector<std::string> models;
  std::vector<std::string> rivals;
  std::string isa, root;
  std::string precision = "float32";
  std::string kernels = "native";
  int64_t threads = 1, cpu = -1, seconds = 5, rows = 12;
  bool json = false, alone = false;
};

// Binds this thread, and what it starts, to `threads` processors: those from `first`, or the last
// of the processors that the process may use.
Status Pin(int64_t first, int64_t threads) {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (sched_getaffinity(0, sizeof(usable), &usable) != 0)
    return SystemError(errno, "read the processors of", "this process");
  std::vector<int> processors;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &usable)) processors.push_back(i);
  }
  const auto count = static_cast<int64_t>(processors.size());
  if (first < 0) first = std::max<int64_t>(0, count - threads);
  if (first + threads > count) {
    return InvalidArgument(
        {.message = absl::StrCat("this process may use ", count, " processors, too few for ",
                                 threads, " threads from processor ", first),
         .remedy = "Use less --threads or another --cpu"});
  }
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  for (int64_t i = first; i < first + threads; ++i) CPU_SET(processors[i], &chosen);
  if (sched_setaffinity(0, sizeof(chosen), &chosen) == 0) return absl::OkStatus();
  return SystemError(errno, "bind to processors", "this process");
}

StatusOr<ComparisonSettings> SettingsOf(const Options& options) {
  ComparisonSettings settings{.seconds = static_cast<double>(options.seconds)};
  speed::UsedMachine& machine = settings.machine;
  machine.threads = static_cast<int>(options.threads);
  if (options.precision == nn::WordOf(nn::Precision::kBf16))
    machine.precision = nn::Precision::kBf16;
  if (options.kernels == nn::WordOf(nn::KernelSet::kPortable))
    machine.kernels = nn::KernelSet::kPortable;
  DL_ASSIGN_OR_RETURN(machine.isa, speed::UseIsa(options.isa, machine.precision));
  RivalSettings& rivals = settings.rivals;
  DL_ASSIGN_OR_RETURN(rivals.isa, nn::ProcessIsa());
  rivals.threads = machine.threads;
  rivals.root = options.root;
  for (const std::string& name : options.rivals) {
    DL_ASSIGN_OR_RETURN(const RivalKind kind, RivalFromName(name));
    DL_RETURN_IF_ERROR(CheckRival(kind, rivals));
    settings.kinds.push_back(kind);
  }
  // Without --rival, a missing PyTorch is no error.
  if (options.rivals.empty() && !options.alone) {
    const Status found = CheckRival(RivalKind::kTuned, rivals);
    if (found.ok()) {
      settings.kinds.push_back(RivalKind::kTuned);
    } else {
      std::cerr << "warning: no rival: " << DescribeError(found) << "\n";
    }
  }
  return settings;
}

Status Run(const Options& options) {
  DL_ASSIGN_OR_RETURN(const std::vector<BenchTask> tasks, TasksOf(options.models));
  if (options.alone && !options.rivals.empty())
    return InvalidArgument({.message = "--alone and --rival exclude each other"});
  DL_RETURN_IF_ERROR(Pin(options.cpu, options.threads));
  DL_ASSIGN_OR_RETURN(ComparisonSettings settings, SettingsOf(options));
  settings.machine.speed = speed::MeasureMachine(settings.machine.isa, settings.machine.threads);
  if (options.json) {
    std::cout << JsonText(speed::MachineJson(settings.machine)) << std::endl;
  } else {
    std::cout << speed::DescribeMachine(settings.machine) << std::flush;
  }
  std::vector<Comparison> comparisons;
  for (const BenchTask& task : tasks) {
    DL_ASSIGN_OR_RETURN(Comparison one, Compare(task, settings));
    if (options.json) {
      std::cout << JsonText(ComparisonJson(one, settings)) << std::endl;
    } else {
      std::cout << DescribeComparison(one, settings, static_cast<size_t>(options.rows))
                << std::flush;
    }
    comparisons.push_back(std::move(one));
  }
  if (!options.json && comparisons.size() > 1) std::cout << Summarize(comparisons);
  return absl::OkStatus();
}

std::string ModelList() {
  std::string text = "Models, with the examples of their minibatches:\n";
  for (const BenchModel& model : BenchModels())
    absl::StrAppendFormat(&text, "  %s: %s of %s\n", model.name, absl::StrJoin(model.batches, ", "),
                          model.about);
  return text;
}

int Main(int argc, char** argv) {
  Options options;
  cli::Flags flags("steps",
                   "Compares the time of training steps with a bound of the machine and with "
                   "PyTorch.");
  flags.Positionals("MODEL", options.models,
                    "Model, with its usual minibatches; MODEL:N: minibatches of N examples; all: "
                    "every model");
  flags.List("--rival", "NAME", options.rivals,
             absl::StrCat("PyTorch to compare with: ", absl::StrJoin(RivalNames(), ", "),
                          "; may be repeated; tuned if absent"));
  flags.Switch("--alone", options.alone, "Compare with no rival");
  flags.Text("--root", "DIR", options.root,
             "Root folder of PyTorch 2 (bench/torch/trixie_root.sh)");
  flags.Choice("--isa", "LEVEL", options.isa, {"avx2", "avx512", "avx512_bf16", "amx"},
               "Instruction set of both sides; the best of this CPU if absent");
  flags.Choice("--precision", "NAME", options.precision, {"float32", "bf16"},
               "Precision of the engine; float32 if absent");
  flags.Choice("--kernels", "NAME", options.kernels, {"native", "portable"},
               "Kernels of the engine; native if absent");
  flags.Integer("--threads", "N", options.threads, "Threads of each side", 1, 64);
  flags.Integer("--cpu", "N", options.cpu,
                "First processor to run on, among those that this process may use; the last ones "
                "if absent",
                0, 1023);
  flags.Integer("--seconds", "N", options.seconds, "Seconds of steps of each side", 1, 3600);
  flags.Integer("--rows", "N", options.rows, "Layers and kernels to show for each model", 0, 1000);
  flags.Switch("--json", options.json, "Print a line of JSON about the machine and for each model");
  flags.Footer(ModelList());
  return RunProgram(argc, argv, flags, [&] { return Run(options); });
}

}  // namespace
}  // namespace dl::bench

int main(int argc, char** argv) { return dl::bench::Main(argc, argv); }
