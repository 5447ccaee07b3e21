// The kernel contracts that this program offers on this machine, for dl-submit version.
#pragma once

#include <string>
#include <vector>

namespace dl::launch {

// Lowest level first; empty on a machine below AVX2.
std::vector<std::string> KernelContracts();

}  // namespace dl::launch
