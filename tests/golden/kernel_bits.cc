// kernel_bits KEY=VALUE ... [-- KEY=VALUE ...]: prints a line for each described CPU: a JSON object
// with tables of the bits of KernelCases() by name. Bits that depend on the second or the last
// cache have tables of their own.
//
// isa=ISA                       instruction set; those of bf16 compute in bf16.
// only=TABLE                    computes only this table.
// case=TEXT                     computes only cases whose names contain this text.
// kernels=portable              computes a table "portable", with the models of the zoo.
// zoo=no                        leaves out these models.
// l1d= l2= l3= cores=           numbers; oneDNN computes as on another CPU (OnednnCpu)
// level=only vendor=other       likewise
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "nn/kernel_contract.h"
#include "tests/golden/kernel_models.h"
#include "tests/golden/onednn_cpu.h"

namespace dl::test {
namespace {

OnednnCpu CpuOf(const std::map<std::string, std::string>& words) {
  OnednnCpu cpu{.only_the_level = words.contains("level"),
                .of_another_vendor = words.contains("vendor")};
  const auto number = [&](const char* key) {
    const auto found = words.find(key);
    return found == words.end() ? 0 : static_cast<uint32_t>(std::stoul(found->second));
  };
  cpu.cores = number("cores");
  if (words.contains("l1d")) cpu.caches = {number("l1d"), number("l2"), number("l3")};
  return cpu;
}

using Words = std::map<std::string, std::string>;

// Must run in a process of its own, because these settings can be made only once.
StatusOr<Json> BitsOn(Words words) {
  DL_ASSIGN_OR_RETURN(const nn::Isa isa, nn::IsaFromName(words["isa"]));
  DL_RETURN_IF_ERROR(nn::SetProcessIsa(isa));
  DL_RETURN_IF_ERROR(SetOnednnCpu(CpuOf(words)));
  const nn::Precision precision = nn::PrecisionOf(isa);
  Json bits;
  if (words["kernels"] == nn::WordOf(nn::KernelSet::kPortable)) {
    std::vector<KernelCase> cases = KernelCases();
    if (words["zoo"] != "no") std::ranges::copy(ZooCases(), std::back_inserter(cases));
    for (const KernelCase& one : cases) {
      if (one.name.find(words["case"]) == std::string::npos) continue;
      bits["portable"][one.name] = BitsOf(one, precision, nn::KernelSet::kPortable);
    }
    return bits;
  }
  for (const KernelCase& one : KernelCases()) {
    if (one.name.find(words["case"]) == std::string::npos) continue;
    const nn::CachesInBits caches = one.Caches(precision);
    // In float32, no case depends on both. In bf16, contracts have both without proof.
    const char* key = precision == nn::Precision::kBf16 ? "bits"
                      : caches.second                   ? "bits_by_second_cache"
                      : caches.last                     ? "bits_by_last_cache"
                                                        : "bits";
    if (words.contains("only") && words["only"] != key) continue;
    bits[key][one.name] = BitsOf(one, precision);
  }
  return bits;
}

StatusOr<std::vector<Words>> CpusOf(int argc, char** argv) {
  std::vector<Words> cpus(1);
  for (int i = 1; i < argc; ++i) {
    const std::string attestations = argv[i];
    const size_t equals = attestations.find('=');
    if (attestations == "--") {
      cpus.emplace_back();
    } else if (equals == std::string::npos) {
      return InvalidArgument({.message = absl::StrCat("\"", attestations, "\" is no KEY=VALUE")});
    } else {
      cpus.back()[attestations.substr(0, equals)] = attestations.substr(equals + 1);
    }
  }
  return cpus;
}

Status Print(const Words& cpu) {
  DL_ASSIGN_OR_RETURN(const Json bits, BitsOn(cpu));
  std::cout << bits.dump() << std::endl;
  return absl::OkStatus();
}

int Exit(const Status& status) {
  if (!status.ok()) std::cerr << DescribeError(status) << std::endl;
  return status.ok() ? 0 : 1;
}

int Main(int argc, char** argv) {
  const StatusOr<std::vector<Words>> cpus = CpusOf(argc, argv);
  if (!cpus.ok()) return Exit(cpus.status());
  if (cpus->size() == 1) return Exit(Print(cpus->front()));
  // Creates the shared data before forking. No thread has started yet.
  for (const KernelCase& one : KernelCases()) SampleFor(one);
  for (const Words& cpu : *cpus) {
    const pid_t child = fork();
    if (child == 0) _exit(Exit(Print(cpu)));
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace dl::test

int main(int argc, char** argv) { return dl::test::Main(argc, argv); }
