// The text that names a kernel contract (nn/kernel_contract.h): all that decides the bits of the
// `native` kernels on a machine. Executors say theirs; a master, which links no kernel, reads it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::nn {

// Raised by hand when a kernel of our own, or the choice of one, changes the bits of a result.
inline constexpr int kNumericsVersion = 1;

struct ContractId {
  int64_t numerics = kNumericsVersion;
  std::string onednn;       // "2.6.3"
  std::string isa;          // "avx2", "avx512"
  int64_t l1d = 0, l2 = 0;  // bytes that oneDNN blocks by
  std::string gcc;          // "12.2"
  bool operator==(const ContractId&) const = default;
};

// "native/1;onednn=2.6.3;isa=avx2;l1d=32768;l2=1048576;gcc=12.2"
std::string ContractText(const ContractId& id);
// InvalidArgument unless the text is what ContractText would make, of any numerics version.
StatusOr<ContractId> ParseContract(std::string_view text);

// Whether this build knows what the contract stands for: its own numerics version, and an
// instruction set that it has kernels for, which `isa` has to name too.
bool IsKnownContract(const std::string& text, const std::string& isa);

}  // namespace dl::nn
