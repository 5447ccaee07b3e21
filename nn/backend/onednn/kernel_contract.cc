#include "nn/kernel_contract.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "base/mutex.h"
#include "nn/backend/onednn/onednn.h"
#include "nn/backend/onednn/onednn_caches.h"
#include "nn/conf/contract_id.h"

namespace dl::nn {
namespace {

bool HasAvx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool HasAvx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
// Returns whether the CPU has tiles of bf16 and the operating system lets this process use them. A
// hypervisor may hide them. The permission is for the process and all of its threads.
bool MayUseAmx() {
  constexpr int kRequestPermission = 0x1023, kTileData = 18;  // arch_prctl(2)
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  constexpr uint32_t kTilesOfBf16 = uint32_t{1} << 22, kTiles = uint32_t{1} << 24;
  if ((d & kTilesOfBf16) == 0 || (d & kTiles) == 0) return false;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}
bool HasAvx512Bf16() { return HasAvx512() && __builtin_cpu_supports("avx512bf16"); }
bool HasAmx() {
  static const bool may_use = MayUseAmx();
  return HasAvx512Bf16() && may_use;
}

struct Level {
  Isa isa;
  dnnl_cpu_isa_t onednn;
  bool (*is_supported)();
};
// In ascending order, as kInstructionSets.
constexpr Level kLevels[] = {{Isa::kAvx2, dnnl_cpu_isa_avx2, HasAvx2},
                             {Isa::kAvx512, dnnl_cpu_isa_avx512_core, HasAvx512},
                             {Isa::kAvx512Bf16, dnnl_cpu_isa_avx512_core_bf16, HasAvx512Bf16},
                             {Isa::kAmx, dnnl_cpu_isa_avx512_core_amx, HasAmx}};
static_assert(std::size(kLevels) == std::size(kInstructionSets));

Mutex isa_mutex;
const Level* process_level DL_GUARDED_BY(isa_mutex) = nullptr;  // null until it is set

const Level& LevelOf(Isa isa) { return kLevels[static_cast<int>(isa) - 1]; }

// Returns whether a process of the level computes under the contracts of `isa`.
bool HasContract(const Level& level, Isa isa) {
  const std::vector<Isa> isas = ContractIsas(level.isa);
  return std::ranges::find(isas, isa) != isas.end();
}

// Returns the highest level of this machine that computes under the contracts of `isa`. REQUIRES:
// the level of `isa` is supported.
const Level& HighestWith(Isa isa) {
  for (size_t i = std::size(kLevels); i-- > 0;) {
    if (kLevels[i].is_supported() && HasContract(kLevels[i], isa)) return kLevels[i];
  }
  return LevelOf(isa);
}

}  // namespace

std::string_view IsaName(Isa isa) { return kInstructionSets[static_cast<int>(isa) - 1].name; }

StatusOr<Isa> IsaFromName(std::string_view name) {
  const size_t rank = RankOfIsa(name);
  if (rank < std::size(kLevels)) return kLevels[rank].isa;
  return InvalidArgument({.message = "unknown instruction set \"" + std::string(name) + "\"",
                          .where = "isa",
                          .remedy = "Use avx2, avx512, avx512_bf16 or amx."});
}

StatusOr<Isa> DetectBestIsa() {
  for (size_t i = std::size(kLevels); i-- > 0;) {
    if (kLevels[i].is_supported()) return kLevels[i].isa;
  }
  return FailedPrecondition(
      {.message = "this CPU has no AVX2 with FMA", .remedy = "Use an x86-64-v3 machine."});
}

Status SetProcessIsa(Isa isa) {
  const MutexLock lock(isa_mutex);
  if (process_level != nullptr) {
    if (HasContract(*process_level, isa)) return absl::OkStatus();
    return FailedPrecondition({.message = "this process already computes with " +
                                          std::string(IsaName(process_level->isa)) + ", not " +
                                          std::string(IsaName(isa)),
                               .where = "isa",
                               .remedy = "Start another process for the other instruction set."});
  }
  if (!LevelOf(isa).is_supported()) {
    return FailedPrecondition({.message = "this CPU lacks " + std::string(IsaName(isa)),
                               .where = "isa",
                               .remedy = "Choose a lower instruction set with --isa."});
  }
  const Level& level = HighestWith(isa);
  if (dnnl_set_max_cpu_isa(level.onednn) != dnnl_success ||
      dnnl_get_effective_cpu_isa() != level.onednn) {
    return FailedPrecondition(
        {.message = "oneDNN did not accept the instruction set " + std::string(IsaName(level.isa)),
         .where = "isa",
         .remedy = "Set it before the first kernel runs."});
  }
  process_level = &level;
  return absl::OkStatus();
}

StatusOr<Isa> ProcessIsa() {
  {
    const MutexLock lock(isa_mutex);
    if (process_level != nullptr) return process_level->isa;
  }
  DL_ASSIGN_OR_RETURN(const Isa best, DetectBestIsa());
  DL_RETURN_IF_ERROR(SetProcessIsa(best));
  return best;
}

std::vector<Isa> ContractIsas(Isa level) {
  if (level == Isa::kAvx512Bf16 || level == Isa::kAmx) return {Isa::kAvx512, level};
  return {level};
}

Precision PrecisionOf(Isa isa) { return kInstructionSets[static_cast<int>(isa) - 1].precision; }

Status CheckPrecision(Isa level, Precision precision) {
  for (const Isa isa : ContractIsas(level)) {
    if (PrecisionOf(isa) == precision) return absl::OkStatus();
  }
  return FailedPrecondition(
      {.message = "this process computes with " + std::string(IsaName(level)) +
                  ", which has no instructions for bf16",
       .where = "precision",
       .remedy = "Use a machine with AMX or AVX-512 bf16, or precision float32."});
}

std::string KernelContractId(Isa isa) {
  const dnnl_version_t* version = dnnl_version();
  static const OnednnCaches caches = CachesForOnednn(ThisCpuid());
  return ContractText({.onednn = std::to_string(version->major) + "." +
                                 std::to_string(version->minor) + "." +
                                 std::to_string(version->patch),
                       .isa = std::string(IsaName(isa)),
                       .l1d = caches.l1d,
                       .l2 = caches.l2,
                       .l3 = caches.l3});
}

}  // namespace dl::nn
