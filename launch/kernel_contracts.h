// The kernel contracts that this program offers on this machine.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace dl::launch {

// Returns the contract ids that executors report (nn/conf/contract_id.h), lowest instruction set
// first. Empty on a machine without AVX2.
std::vector<std::string> KernelContracts();

// Returns the instruction set with which a process of this machine computes under `contract`, for
// example "avx2". Returns "" for "", the contract of a job that has not begun. Returns
// FailedPrecondition, which names the offered contracts, if this machine does not offer `contract`.
StatusOr<std::string> IsaOfContract(const std::string& contract);

}  // namespace dl::launch
