// The kernel contracts that this program offers on this machine.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "nn/conf/precision.h"

namespace dl::launch {

// Returns the contract ids under which executors of this machine can compute
// (nn/conf/contract_id.h): lowest instruction set first, the portable contract last. Empty on a
// machine without AVX2.
std::vector<std::string> KernelContracts();

// Returns those of them that an executor without --isa reports: the highest of each precision, and
// the portable contract.
std::vector<std::string> DefaultContracts();

// Returns the instruction set with which a process of this machine computes under `contract`, for
// example "avx2". Returns "" if every instruction set will do: for the portable contract, and for
// "", the contract of a job that has not begun. Returns FailedPrecondition, which names the offered
// contracts, if this machine does not offer `contract`.
StatusOr<std::string> IsaOfContract(const std::string& contract);

// The kernels that a job asks for.
struct KernelChoice {
  std::string isa;  // "": the best of a machine
  nn::Precision precision = nn::Precision::kFloat32;
};
// Returns OK if this machine can compute in this precision, or if `choice` names an instruction
// set. Otherwise returns FailedPrecondition, with what to do.
Status CheckComputesHere(const KernelChoice& choice);

}  // namespace dl::launch
