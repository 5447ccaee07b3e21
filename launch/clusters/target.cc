#include "launch/clusters/target.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/usable_cores.h"
#include "rpc/endpoint.h"

namespace dl::launch {
namespace {

Status BadTarget(std::string_view text) {
  return InvalidArgument(
      {.message = absl::StrCat("\"", std::string(text), "\" is no master"),
       .where = "--master",
       .remedy = absl::StrCat("Use local[N], local[*], local-cluster[N] with N from 1 to ",
                              limits::kMaxLocal, ", slurm[N] with N from 1 to ", limits::kMaxSlurm,
                              ", mpi under mpirun, or dl://host:port")});
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
  if (text == "mpi") {
    target.kind = Target::Kind::kMpi;
    return target;
  }
  const std::string_view whole = text;
  if (const size_t at = text.find("]@/"); text.starts_with("slurm-batch[") && at != text.npos) {
    target.folder = text.substr(at + 2);
    text = text.substr(0, at + 1);
  }
  const size_t open = text.find('[');
  if (open == std::string_view::npos || !text.ends_with("]")) return BadTarget(whole);
  const std::string_view kind = text.substr(0, open);
  const std::string_view count = text.substr(open + 1, text.size() - open - 2);
  if (kind == "local") {
    target.kind = Target::Kind::kLocal;
  } else if (kind == "local-cluster") {
    target.kind = Target::Kind::kLocalCluster;
  } else if (kind == "slurm") {
    target.kind = Target::Kind::kSlurm;
  } else if (kind == "slurm-batch" && !target.folder.empty()) {
    target.kind = Target::Kind::kSlurmBatch;
  } else {
    return BadTarget(whole);
  }
  if (count == "*" && target.kind == Target::Kind::kLocal) {
    target.count = std::min(limits::kMaxLocal, FindUsableCores().count);
    return target;
  }
  const bool on_slurm = target.is_batch() || target.is_in_batch();
  if (!absl::SimpleAtoi(std::string(count), &target.count) || target.count < 1 ||
      target.count > (on_slurm ? limits::kMaxSlurm : limits::kMaxLocal)) {
    return BadTarget(whole);
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
    case Kind::kSlurm:
      return absl::StrCat("slurm[", count, "]");
    case Kind::kSlurmBatch:
      return absl::StrCat("slurm-batch[", count, "]@", folder);
    case Kind::kMpi:
      return "mpi";
  }
  return "?";
}

}  // namespace dl::launch
