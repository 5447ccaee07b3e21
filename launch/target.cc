#include "launch/target.h"

#include <sched.h>

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "rpc/endpoint.h"

namespace dl::launch {
namespace {

// Cores that this process may use, as taskset and cgroups' cpusets leave them.
int32_t UsableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

Status BadTarget(std::string_view text) {
  return InvalidArgument(
      {.message = absl::StrCat("\"", std::string(text), "\" is no master"),
       .where = "--master",
       .remedy = absl::StrCat("Use local[N], local[*], local-cluster[N] with N from 1 to ",
                              limits::kMaxLocal, ", or dl://host:port")});
}

}  // namespace

StatusOr<Target> ParseTarget(std::string_view text) {
  Target target;
  if (text.starts_with("dl://")) {
    DL_ASSIGN_OR_RETURN(rpc::Endpoint endpoint, rpc::ParseEndpoint(text));
    target.kind = Target::Kind::kRemote;
    target.host = endpoint.host;
    target.port = endpoint.port;
    return target;
  }
  if (text == "local") return target;
  const size_t open = text.find('[');
  if (open == std::string_view::npos || !text.ends_with("]")) return BadTarget(text);
  const std::string_view kind = text.substr(0, open);
  const std::string_view count = text.substr(open + 1, text.size() - open - 2);
  if (kind == "local") {
    target.kind = Target::Kind::kLocal;
  } else if (kind == "local-cluster") {
    target.kind = Target::Kind::kLocalCluster;
  } else {
    return BadTarget(text);
  }
  if (count == "*" && target.kind == Target::Kind::kLocal) {
    target.count = std::min(limits::kMaxLocal, UsableCores());
    return target;
  }
  if (!absl::SimpleAtoi(std::string(count), &target.count) || target.count < 1 ||
      target.count > limits::kMaxLocal) {
    return BadTarget(text);
  }
  return target;
}

std::string Target::ToString() const {
  switch (kind) {
    case Kind::kLocal:
      return absl::StrCat("local[", count, "]");
    case Kind::kLocalCluster:
      return absl::StrCat("local-cluster[", count, "]");
    case Kind::kRemote:
      return rpc::ToString({host, port});
  }
  return "?";
}

}  // namespace dl::launch
