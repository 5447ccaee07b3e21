// The text that names a kernel contract (nn/kernel_contract.h): all that decides the bits of the
// `native` kernels on a machine, and nothing that a test does not show to (docs/adr/0008).
// Executors say theirs; a master, which links no kernel, reads it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::nn {

// Raised by hand when a kernel of our own, or the choice of one, changes the bits of a result.
inline constexpr int kNumericsVersion = 1;

// Of an executor: what oneDNN believes of the CPU's caches is in it as far as some kernel's bits
// depend on that. A job's contract is ContractOfJob.
struct ContractId {
  int64_t numerics = kNumericsVersion;
  std::string onednn;  // "2.6.3"
  std::string isa;     // "avx2", "avx512"
  int64_t l1d = 0;     // bytes; of avx512 only: AVX2's kernels do not depend on it
  int64_t l2 = 0;      // bytes for each core
  int64_t l3 = 0;      // bytes for each core
  bool operator==(const ContractId&) const = default;
};

// "native/1;onednn=2.6.3;isa=avx512;l1d=32768;l2=1048576;l3=1048576"
std::string ContractText(const ContractId& id);
// InvalidArgument unless the text is what ContractText would make, of any numerics version.
StatusOr<ContractId> ParseContract(std::string_view text);

// Which of the second and the last cache a job's bits depend on (nn/conf/caches_in_bits.h).
struct CachesInBits {
  bool second = false, last = false;
  bool operator==(const CachesInBits&) const = default;
};
// What an executor's contract comes to for a job: without the caches that do not matter to it.
// Another text than a contract stays as it is.
std::string ContractOfJob(const std::string& offered, CachesInBits caches);

// Whether an executor that offers `offered` computes the bits of a job whose contract is `wanted`.
bool OffersContract(const std::string& offered, const std::string& wanted);

// Whether this build knows what an executor's contract stands for: its own numerics version, the
// version of oneDNN that it was built with, and an instruction set that it has kernels for, which
// `isa` has to name too.
bool IsKnownContract(const std::string& text, const std::string& isa);

}  // namespace dl::nn
