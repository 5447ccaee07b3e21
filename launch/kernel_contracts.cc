#include "launch/kernel_contracts.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nn/kernel_contract.h"

namespace dl::launch {
namespace {

constexpr nn::Isa kLevels[] = {nn::Isa::kAvx2, nn::Isa::kAvx512, nn::Isa::kAvx512Bf16,
                               nn::Isa::kAmx};

}  // namespace

std::vector<std::string> KernelContracts() {
  std::vector<std::string> contracts;
  const auto best = nn::DetectBestIsa();
  if (!best.ok()) return contracts;
  for (nn::Isa isa : kLevels) {
    if (isa <= *best) contracts.push_back(nn::KernelContractId(isa));
  }
  return contracts;
}

std::vector<std::string> DefaultContracts() {
  std::vector<std::string> contracts;
  const auto best = nn::DetectBestIsa();
  if (!best.ok()) return contracts;
  for (const nn::Isa isa : nn::ContractIsas(*best)) contracts.push_back(nn::KernelContractId(isa));
  return contracts;
}

StatusOr<std::string> IsaOfContract(const std::string& contract) {
  if (contract.empty()) return std::string();
  const std::vector<std::string> offered = KernelContracts();
  for (size_t i = 0; i < offered.size(); ++i) {
    if (nn::OffersContract(offered[i], contract)) return std::string(nn::IsaName(kLevels[i]));
  }
  return FailedPrecondition(
      {.message = absl::StrCat(
           "this machine does not offer the kernel contract ", contract,
           offered.empty() ? "; it offers none" : "; it offers " + absl::StrJoin(offered, " and ")),
       .where = contract});
}

Status CheckComputesHere(const KernelChoice& choice) {
  if (!choice.isa.empty()) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(const nn::Isa best, nn::DetectBestIsa());
  return nn::CheckPrecision(best, choice.precision);
}

}  // namespace dl::launch
