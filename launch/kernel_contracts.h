// The kernel contracts that this program offers on this machine.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace dl::launch {

// As executors say them (nn/conf/contract_id.h), the lowest level first; empty on a machine below
// AVX2.
std::vector<std::string> KernelContracts();

// The instruction set with which a process of this machine computes under `contract`: "avx2". ""
// for "", the contract of a job that has not begun. FailedPrecondition when this machine does not
// offer the contract; the message names those that it offers.
StatusOr<std::string> IsaOfContract(const std::string& contract);

}  // namespace dl::launch
