#include "nn/kernel_contract.h"

#include "base/mutex.h"
#include "nn/backend/onednn/onednn.h"
#include "nn/backend/onednn/onednn_caches.h"

namespace dl::nn {
namespace {

Mutex isa_mutex;
int process_isa DL_GUARDED_BY(isa_mutex) = 0;  // 0 until it is set

bool HasAvx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool HasAvx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

}  // namespace

std::string_view IsaName(Isa isa) { return isa == Isa::kAvx2 ? "avx2" : "avx512"; }

StatusOr<Isa> IsaFromName(std::string_view name) {
  if (name == "avx2") return Isa::kAvx2;
  if (name == "avx512") return Isa::kAvx512;
  return InvalidArgument({.message = "unknown instruction set \"" + std::string(name) + "\"",
                          .where = "isa",
                          .remedy = "Use avx2 or avx512."});
}

StatusOr<Isa> DetectBestIsa() {
  if (HasAvx512()) return Isa::kAvx512;
  if (HasAvx2()) return Isa::kAvx2;
  return FailedPrecondition(
      {.message = "this CPU has no AVX2 with FMA", .remedy = "Use an x86-64-v3 machine."});
}

Status SetProcessIsa(Isa isa) {
  const MutexLock lock(isa_mutex);
  const int wanted = static_cast<int>(isa);
  if (process_isa == wanted) return absl::OkStatus();
  if (process_isa != 0) {
    return FailedPrecondition({.message = "this process already computes with " +
                                          std::string(IsaName(static_cast<Isa>(process_isa))) +
                                          ", not " + std::string(IsaName(isa)),
                               .where = "isa",
                               .remedy = "Start another process for the other instruction set."});
  }
  if (isa == Isa::kAvx512 ? !HasAvx512() : !HasAvx2()) {
    return FailedPrecondition({.message = "this CPU lacks " + std::string(IsaName(isa)),
                               .where = "isa",
                               .remedy = "Choose a lower instruction set with --isa."});
  }
  const dnnl_cpu_isa_t level = isa == Isa::kAvx512 ? dnnl_cpu_isa_avx512_core : dnnl_cpu_isa_avx2;
  if (dnnl_set_max_cpu_isa(level) != dnnl_success || dnnl_get_effective_cpu_isa() != level) {
    return FailedPrecondition(
        {.message = "oneDNN did not accept the instruction set " + std::string(IsaName(isa)),
         .where = "isa",
         .remedy = "Set it before the first kernel runs."});
  }
  process_isa = wanted;
  return absl::OkStatus();
}

StatusOr<Isa> ProcessIsa() {
  {
    const MutexLock lock(isa_mutex);
    if (process_isa != 0) return static_cast<Isa>(process_isa);
  }
  DL_ASSIGN_OR_RETURN(const Isa best, DetectBestIsa());
  DL_RETURN_IF_ERROR(SetProcessIsa(best));
  return best;
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
