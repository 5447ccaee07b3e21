#include "nn/conf/contract_id.h"

#include <iterator>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace dl::nn {
namespace {

constexpr std::string_view kPortablePrefix = "portable/";

std::string WithCaches(const ContractId& id, CachesInBits caches) {
  if (id.kernels == KernelSet::kPortable)
    return absl::StrCat(std::string(kPortablePrefix), id.numerics);
  std::string text = absl::StrCat("native/", id.numerics, ";onednn=", id.onednn, ";isa=", id.isa);
  if (id.isa != "avx2") absl::StrAppend(&text, ";l1d=", id.l1d);
  if (caches.second) absl::StrAppend(&text, ";l2=", id.l2);
  if (caches.last) absl::StrAppend(&text, ";l3=", id.l3);
  return text;
}

bool IsVersion(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
}

// Reads the parts of KEY=VALUE;KEY=VALUE... from left to right.
class Fields {
 public:
  explicit Fields(std::string_view text) : parts_(absl::StrSplit(std::string(text), ';')) {}
  // Returns the value of the next part if it has that key, and moves on. Otherwise returns "".
  std::string Take(std::string_view key) {
    if (next_ == parts_.size() || !parts_[next_].starts_with(key)) return "";
    return parts_[next_++].substr(key.size());
  }
  int64_t TakeNumber(std::string_view key) {
    int64_t number = 0;
    return absl::SimpleAtoi(Take(key), &number) ? number : 0;
  }

 private:
  std::vector<std::string> parts_;
  size_t next_ = 0;
};

}  // namespace

size_t RankOfIsa(std::string_view isa) {
  size_t rank = 0;
  while (rank < std::size(kInstructionSets) && kInstructionSets[rank].name != isa) ++rank;
  return rank;
}

bool ComputesIn(std::string_view isa, Precision precision) {
  const size_t rank = RankOfIsa(isa);
  return rank < std::size(kInstructionSets) && kInstructionSets[rank].precision == precision;
}

std::string IsasOf(Precision precision) {
  std::string names;
  for (const InstructionSet& set : kInstructionSets) {
    if (set.precision != precision) continue;
    absl::StrAppend(&names, names.empty() ? "" : " or ", std::string(set.name));
  }
  return names;
}

std::string ContractText(const ContractId& id) {
  return WithCaches(id, {.second = true, .last = true});
}

std::string PortableContract() {
  return ContractText({.kernels = KernelSet::kPortable, .numerics = kPortableVersion});
}

KernelSet KernelSetOf(std::string_view contract) {
  return contract.starts_with(kPortablePrefix) ? KernelSet::kPortable : KernelSet::kNative;
}

StatusOr<ContractId> ParseContract(std::string_view text) {
  Fields fields(text);
  ContractId id{.kernels = KernelSetOf(text)};
  const bool portable = id.kernels == KernelSet::kPortable;
  id.numerics = fields.TakeNumber(portable ? kPortablePrefix : "native/");
  if (!portable) {
    id.onednn = fields.Take("onednn=");
    id.isa = fields.Take("isa=");
    id.l1d = fields.TakeNumber("l1d=");
    id.l2 = fields.TakeNumber("l2=");
    id.l3 = fields.TakeNumber("l3=");
  }
  if (id.numerics < 1 || (!portable && !IsVersion(id.onednn)) || ContractText(id) != text) {
    return InvalidArgument({.message = absl::StrCat("\"", std::string(text.substr(0, 200)),
                                                    "\" is not a kernel contract")});
  }
  return id;
}

std::string ContractOfJob(const std::string& offered, CachesInBits caches) {
  const StatusOr<ContractId> id = ParseContract(offered);
  return id.ok() ? WithCaches(*id, caches) : offered;
}

bool OffersContract(const std::string& offered, const std::string& wanted) {
  if (offered == wanted) return true;
  // Called for every lease, so it compares texts: a job's contract is the executor's without one or
  // both of the caches at the end.
  const size_t second = offered.find(";l2="), last = offered.find(";l3=");
  if (second == std::string::npos || last == std::string::npos) return false;
  const std::string_view all(offered), asked(wanted), before = all.substr(0, second);
  if (!asked.starts_with(before)) return false;
  const std::string_view caches = asked.substr(before.size());
  return caches.empty() || caches == all.substr(second, last - second) ||
         caches == all.substr(last);
}

bool IsKnownContract(const std::string& text, const std::string& isa) {
  const StatusOr<ContractId> id = ParseContract(text);
  if (id.ok() && id->kernels == KernelSet::kPortable)
    return id->numerics == kPortableVersion && isa.empty();
  return id.ok() && id->numerics == kNumericsVersion && id->onednn == DL_ONEDNN_VERSION &&
         id->isa == isa && RankOfIsa(isa) < std::size(kInstructionSets);
}

}  // namespace dl::nn
