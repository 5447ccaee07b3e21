#include "nn/conf/contract_id.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace dl::nn {

std::string ContractText(const ContractId& id) {
  return absl::StrCat("native/", id.numerics, ";onednn=", id.onednn, ";isa=", id.isa,
                      ";l1d=", id.l1d, ";l2=", id.l2, ";gcc=", id.gcc);
}

StatusOr<ContractId> ParseContract(std::string_view text) {
  ContractId id;
  const std::vector<std::string> parts = absl::StrSplit(std::string(text), ';');
  // The value behind a key; what is missing makes another text below.
  const auto value = [&](size_t part, std::string_view key) {
    return part < parts.size() && parts[part].starts_with(key) ? parts[part].substr(key.size())
                                                               : std::string();
  };
  const bool numbers = absl::SimpleAtoi(value(0, "native/"), &id.numerics) &&
                       absl::SimpleAtoi(value(3, "l1d="), &id.l1d) &&
                       absl::SimpleAtoi(value(4, "l2="), &id.l2);
  id.onednn = value(1, "onednn=");
  id.isa = value(2, "isa=");
  id.gcc = value(5, "gcc=");
  const auto is_version = [](const std::string& version) {
    return !version.empty() && version.find_first_not_of("0123456789.") == std::string::npos;
  };
  if (!numbers || !is_version(id.onednn) || !is_version(id.gcc) || ContractText(id) != text) {
    return InvalidArgument(
        {.message = "\"" + std::string(text.substr(0, 200)) + "\" is no kernel contract"});
  }
  return id;
}

bool IsKnownContract(const std::string& text, const std::string& isa) {
  const StatusOr<ContractId> id = ParseContract(text);
  return id.ok() && id->numerics == kNumericsVersion && id->isa == isa &&
         (isa == "avx2" || isa == "avx512");
}

}  // namespace dl::nn
