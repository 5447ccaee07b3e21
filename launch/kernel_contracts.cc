#include "launch/kernel_contracts.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nn/kernel_contract.h"

namespace dl::launch {
namespace {

// Returns the instruction sets of this machine, in the order of nn::kInstructionSets.
std::vector<nn::Isa> IsasOfMachine() {
  std::vector<nn::Isa> isas;
  const auto best = nn::DetectBestIsa();
  if (!best.ok()) return isas;
  for (const nn::InstructionSet& set : nn::kInstructionSets) {
    const auto isa = nn::IsaFromName(set.name);
    if (*isa <= *best) isas.push_back(*isa);
  }
  return isas;
}

}  // namespace

std::vector<std::string> KernelContracts() {
  std::vector<std::string> contracts;
  for (const nn::Isa isa : IsasOfMachine()) contracts.push_back(nn::KernelContractId(isa));
  if (!contracts.empty()) contracts.push_back(nn::PortableContract());
  return contracts;
}

std::vector<std::string> DefaultContracts() {
  std::vector<std::string> contracts;
  const auto best = nn::DetectBestIsa();
  if (!best.ok()) return contracts;
  for (const nn::Isa isa : nn::ContractIsas(*best)) contracts.push_back(nn::KernelContractId(isa));
  contracts.push_back(nn::PortableContract());
  return contracts;
}

StatusOr<std::string> IsaOfContract(const std::string& contract) {
  if (contract.empty()) return std::string();
  std::vector<std::string> offered;
  for (const nn::Isa isa : IsasOfMachine()) {
    offered.push_back(nn::KernelContractId(isa));
    if (nn::OffersContract(offered.back(), contract)) return std::string(nn::IsaName(isa));
  }
  if (!offered.empty()) offered.push_back(nn::PortableContract());
  if (!offered.empty() && offered.back() == contract) return std::string();
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
