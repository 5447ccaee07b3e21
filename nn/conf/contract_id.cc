#include "nn/conf/contract_id.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace dl::nn {
namespace {

std::string WithoutLastCache(const ContractId& id) {
  std::string text = absl::StrCat("native/", id.numerics, ";onednn=", id.onednn, ";isa=", id.isa);
  if (id.isa == "avx512") absl::StrAppend(&text, ";l1d=", id.l1d);
  return text;
}

bool IsVersion(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
}

// KEY=VALUE;KEY=VALUE..., one taken from the front after the other.
class Fields {
 public:
  explicit Fields(std::string_view text) : parts_(absl::StrSplit(std::string(text), ';')) {}
  // The value when the next part has that key; "" and no step further when it has not.
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

std::string ContractText(const ContractId& id) {
  return absl::StrCat(WithoutLastCache(id), ";l3=", id.l3);
}

StatusOr<ContractId> ParseContract(std::string_view text) {
  Fields fields(text);
  ContractId id;
  id.numerics = fields.TakeNumber("native/");
  id.onednn = fields.Take("onednn=");
  id.isa = fields.Take("isa=");
  id.l1d = fields.TakeNumber("l1d=");
  id.l3 = fields.TakeNumber("l3=");
  if (!IsVersion(id.onednn) || ContractText(id) != text) {
    return InvalidArgument({.message = absl::StrCat("\"", std::string(text.substr(0, 200)),
                                                    "\" is no kernel contract")});
  }
  return id;
}

std::string ContractOfJob(const std::string& offered, LastCache last_cache) {
  const StatusOr<ContractId> id = ParseContract(offered);
  if (!id.ok() || last_cache == LastCache::kMatters) return offered;
  return WithoutLastCache(*id);
}

bool OffersContract(const std::string& offered, const std::string& wanted) {
  if (offered == wanted) return true;
  // Asked for every lease: the job's contract is the executor's without its last part.
  return offered.starts_with(wanted) && offered.substr(wanted.size()).starts_with(";l3=");
}

bool IsKnownContract(const std::string& text, const std::string& isa) {
  const StatusOr<ContractId> id = ParseContract(text);
  return id.ok() && id->numerics == kNumericsVersion && id->onednn == DL_ONEDNN_VERSION &&
         id->isa == isa && (isa == "avx2" || isa == "avx512");
}

}  // namespace dl::nn
