// The text that names a kernel contract (nn/kernel_contract.h). Executors send theirs. The master,
// which links no kernels, parses it.
//
// The contract of native kernels contains every property of a build and a machine that decides
// their bits. Settings of the job, such as the number of threads, are not part of it. A cache size
// is part of it only if a test shows that it decides bits (docs/adr/0008).
//
// The contract of portable kernels is a version alone, "portable/1", because nothing else decides
// their bits: not the machine, not its libraries, and not the number of threads (docs/adr/0017).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "nn/conf/kernel_set.h"
#include "nn/conf/precision.h"

namespace dl::nn {

// Must be increased by hand when a change of our kernels, or of the choice among them, changes the
// bits of a result.
inline constexpr int kNumericsVersion = 3;
// The same for portable kernels.
inline constexpr int kPortableVersion = 1;

// The instruction sets of kernels, in the order in which a job without training.isa prefers them:
// the widest choice of machines first.
struct InstructionSet {
  std::string_view name;
  Precision precision;
};
inline constexpr InstructionSet kInstructionSets[] = {
    {"avx2", Precision::kFloat32},
    {"avx512", Precision::kFloat32},
    {"avx512_bf16", Precision::kBf16},
    {"amx", Precision::kBf16},
};
// Returns the place of `isa` in kInstructionSets, or their number for another name.
size_t RankOfIsa(std::string_view isa);
// Returns whether jobs of this precision can have contracts with `isa`. False for other names.
bool ComputesIn(std::string_view isa, Precision precision);
// Returns the names for a precision, for messages: "avx2 or avx512".
std::string IsasOf(Precision precision);

// The contract of an executor. It contains the cache sizes that oneDNN uses
// (nn/backend/onednn/onednn_caches.h), as far as the bits of some kernel depend on them.
// ContractOfJob gives the contract of a job. A contract of portable kernels has the first two
// members only.
struct ContractId {
  KernelSet kernels = KernelSet::kNative;
  int64_t numerics = kNumericsVersion;  // of these kernels, from 1 on
  std::string onednn;                   // "2.6.3"
  std::string isa;                      // a name of kInstructionSets
  int64_t l1d = 0;                      // bytes; not for avx2, whose kernels do not depend on it
  int64_t l2 = 0;                       // bytes per core
  int64_t l3 = 0;                       // bytes per core
  bool operator==(const ContractId&) const = default;
};

// "native/3;onednn=2.6.3;isa=avx512;l1d=32768;l2=1048576;l3=1048576", or "portable/1"
std::string ContractText(const ContractId& id);
// Returns the contract of this build's portable kernels. Every executor offers it.
std::string PortableContract();
// Returns the kernels of a contract. kNative for texts that are no contract.
KernelSet KernelSetOf(std::string_view contract);
// Parses a contract of any numerics version. InvalidArgument unless the text is what ContractText
// would make.
StatusOr<ContractId> ParseContract(std::string_view text);

// Whether a job's bits depend on the second-level and on the last-level cache
// (nn/conf/caches_in_bits.h).
struct CachesInBits {
  bool second = false, last = false;
  bool operator==(const CachesInBits&) const = default;
};
// Returns an executor's contract without the caches that do not matter to the job. Returns the text
// unchanged if it is not a contract.
std::string ContractOfJob(const std::string& offered, CachesInBits caches);

// Returns whether an executor that offers `offered` computes the bits of a job whose contract is
// `wanted`.
bool OffersContract(const std::string& offered, const std::string& wanted);

// Returns whether this build knows an executor's contract: it has this build's version of the
// kernels. A contract of native kernels must also have this build's oneDNN version, and an
// instruction set that this build has kernels for and that equals `isa`. `isa` must be "" for a
// contract of portable kernels.
bool IsKnownContract(const std::string& text, const std::string& isa);

}  // namespace dl::nn
