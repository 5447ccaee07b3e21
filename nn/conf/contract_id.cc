#include "nn/conf/contract_id.h"

#include <optional>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace dl::nn {
namespace {

// What oneDNN takes for the first cache of a CPU that it cannot ask (nn/backend/onednn_caches.h).
constexpr int64_t kGuessedL1d = 32 << 10;

std::string WithoutCaches(const ContractId& id) {
  return absl::StrCat("native/", id.numerics, ";onednn=", id.onednn, ";isa=", id.isa);
}

std::string WithoutLastCache(const ContractId& id) {
  std::string text = WithoutCaches(id);
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

ContractId TakeId(Fields& fields) {
  ContractId id;
  id.numerics = fields.TakeNumber("native/");
  id.onednn = fields.Take("onednn=");
  id.isa = fields.Take("isa=");
  id.l1d = fields.TakeNumber("l1d=");
  return id;
}

// The form with compiler and second cache.
std::optional<ContractId> ParseEarlierContract(const std::string& text) {
  if (text.find(";gcc=") == std::string::npos) return std::nullopt;
  Fields fields(text);
  const ContractId id = TakeId(fields);
  const int64_t l2 = fields.TakeNumber("l2=");
  const std::string gcc = fields.Take("gcc=");
  const std::string again =
      absl::StrCat(WithoutCaches(id), ";l1d=", id.l1d, ";l2=", l2, ";gcc=", gcc);
  if (!IsVersion(id.onednn) || !IsVersion(gcc) || again != text) return std::nullopt;
  return id;
}

}  // namespace

std::string ContractText(const ContractId& id) {
  return absl::StrCat(WithoutLastCache(id), ";l3=", id.l3);
}

StatusOr<ContractId> ParseContract(std::string_view text) {
  Fields fields(text);
  ContractId id = TakeId(fields);
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
  if (offered.starts_with(wanted) && offered.substr(wanted.size()).starts_with(";l3=")) return true;
  const std::optional<ContractId> earlier = ParseEarlierContract(wanted);
  if (!earlier) return false;
  const StatusOr<ContractId> id = ParseContract(offered);
  if (!id.ok() || WithoutCaches(*id) != WithoutCaches(*earlier)) return false;
  // The earlier form took a size from every CPU, also where oneDNN does not.
  return id->isa != "avx512" || id->l1d == earlier->l1d || id->l1d == kGuessedL1d;
}

bool IsKnownContract(const std::string& text, const std::string& isa) {
  const StatusOr<ContractId> id = ParseContract(text);
  return id.ok() && id->numerics == kNumericsVersion && id->isa == isa &&
         (isa == "avx2" || isa == "avx512");
}

}  // namespace dl::nn
