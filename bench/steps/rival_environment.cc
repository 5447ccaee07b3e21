#include "bench/steps/rival_environment.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "speed/cpu_info.h"

namespace dl::bench {
namespace {

constexpr char kLibraries[] = "/usr/lib/x86_64-linux-gnu";

// Returns the name of the CPU for which BLIS must be told to compute, or "" if it finds its best
// kernels by itself. Debian's BLIS knows no Sapphire Rapids, Emerald Rapids or Zen 5, and falls
// back to kernels that are two to four times slower.
std::string BlisArchitecture(nn::Isa isa, const std::string& cpuinfo) {
  constexpr int64_t kZen5 = 26, kP6 = 6, kSapphireRapids = 143;
  if (isa == nn::Isa::kAvx2) return absl::StrContains(cpuinfo, "avx512f") ? "haswell" : "";
  const int64_t family = speed::NumberIn(cpuinfo, "cpu family");
  if (absl::StrContains(cpuinfo, "AuthenticAMD") && family == kZen5) return "zen3";
  if (absl::StrContains(cpuinfo, "GenuineIntel") && family == kP6 &&
      speed::NumberIn(cpuinfo, "model") >= kSapphireRapids) {
    return "skx";
  }
  return "";
}

}  // namespace

RivalCommand CommandOf(RivalKind kind, const RivalSettings& settings, const std::string& cpuinfo) {
  RivalCommand command;
  if (IsTorch2(kind)) command.argv = {"chroot", settings.root};
  // Some machines set this variable, so that OpenBLAS would not be as installed.
  for (const char* word : {"env", "-u", "OPENBLAS_CORETYPE", "/usr/bin/python3"})
    command.argv.emplace_back(word);
  const std::string threads = std::to_string(settings.threads);
  command.env = {"OMP_NUM_THREADS=" + threads, "BLIS_NUM_THREADS=" + threads,
                 "PYTHONDONTWRITEBYTECODE=1"};
  const auto set = [&](const char* name, const std::string& value) {
    if (!value.empty()) command.env.push_back(absl::StrCat(name, "=", value));
  };
  if (settings.isa == nn::Isa::kAvx2) {
    set("DNNL_MAX_CPU_ISA", "AVX2");
    set("ONEDNN_MAX_CPU_ISA", "AVX2");
    set("ATEN_CPU_CAPABILITY", "avx2");
  }
  if (kind == RivalKind::kInstalled) return command;
  set("LD_PRELOAD",
      absl::StrCat(kLibraries, "/libjemalloc.so.2:", kLibraries, "/blis-openmp/libblas.so.3"));
  set("MALLOC_CONF", "dirty_decay_ms:-1,muzzy_decay_ms:-1,thp:always");
  // PyTorch 1.13 itself uses AVX2 on a CPU with AVX-512.
  if (settings.isa >= nn::Isa::kAvx512) set("ATEN_CPU_CAPABILITY", "avx512");
  set("BLIS_ARCH_TYPE", BlisArchitecture(settings.isa, cpuinfo));
  return command;
}

}  // namespace dl::bench
