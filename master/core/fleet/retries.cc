#include "master/core/fleet/retries.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace dl::master {
namespace {

struct Kind {
  const char* name;
  int64_t rpc::Retries::*count;
};
constexpr Kind kKinds[] = {
    {"sessions", &rpc::Retries::sessions}, {"leases", &rpc::Retries::leases},
    {"jobs", &rpc::Retries::jobs},         {"states", &rpc::Retries::states},
    {"blocks", &rpc::Retries::blocks},     {"results", &rpc::Retries::results}};

}  // namespace

void RaiseTo(rpc::Retries& known, const rpc::Retries& said) {
  for (const Kind& kind : kKinds) {
    int64_t& count = known.*kind.count;
    count = std::max(count, std::min(said.*kind.count, rpc::Retries::kMost));
  }
}

void AddTo(rpc::Retries& sum, const rpc::Retries& more) {
  for (const Kind& kind : kKinds) sum.*kind.count += more.*kind.count;
}

std::string RetriesText(const rpc::Retries& retries) {
  std::string text;
  for (const Kind& kind : kKinds) {
    absl::StrAppend(&text, text.empty() ? "{\"" : ",\"", kind.name, "\":", retries.*kind.count);
  }
  return text + "}";
}

}  // namespace dl::master
