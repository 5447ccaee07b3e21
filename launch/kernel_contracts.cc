#include "launch/kernel_contracts.h"

#include "nn/kernel_contract.h"

namespace dl::launch {

std::vector<std::string> KernelContracts() {
  std::vector<std::string> contracts;
  const auto best = nn::DetectBestIsa();
  if (!best.ok()) return contracts;
  for (nn::Isa isa : {nn::Isa::kAvx2, nn::Isa::kAvx512}) {
    if (isa <= *best) contracts.push_back(nn::KernelContractId(isa));
  }
  return contracts;
}

}  // namespace dl::launch
