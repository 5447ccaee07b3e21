#include "launch/clusters/target.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/usable_cores.h"
#include "rpc/endpoint.h"

namespace dl::launch {
namespace {

Status BadTarget(std::string_view text) {
  return InvalidArgument(
      {.message = absl::StrCat("\"", std::string(text), "\" is not a master"),
       .where = "--master",
       .remedy =
           absl::StrCat("Use local[N], local[*], local-cluster[N] with N from 1 to ",
                        limits::kMaxLocalExecutors, ", slurm[N] with N from 1 to ",
                        limits::kMaxSlurmExecutors, ", mpi under mpirun, or dl://host:port")});
}

}  // namespace

Target Target::SlurmBatch(int32_t executors, std::string folder) {
  Target target(Kind::kSlurmBatch, executors);
  target.folder_ = std::move(folder);
  return target;
}

StatusOr<Target> ParseTarget(std::string_view text) {
  using Kind = Target::Kind;
  if (text.starts_with("dl://")) {
    DL_ASSIGN_OR_RETURN(rpc::Endpoint endpoint, rpc::ParseEndpoint(text));
    Target target(Kind::kRemote, 1);
    target.host_ = endpoint.host;
    target.port_ = endpoint.port;
    return target;
  }
  if (text == "local") return Target::Local(1);
  if (text == "mpi") return Target(Kind::kMpi, 1);
  const std::string_view whole = text;
  std::string folder;
  if (const size_t at = text.find("]@/"); text.starts_with("slurm-batch[") && at != text.npos) {
    folder = text.substr(at + 2);
    text = text.substr(0, at + 1);
  }
  const size_t open = text.find('[');
  if (open == std::string_view::npos || !text.ends_with("]")) return BadTarget(whole);
  const std::string_view kind = text.substr(0, open);
  const std::string_view count = text.substr(open + 1, text.size() - open - 2);
  if (kind == "local" && count == "*")
    return Target::Local(std::min(limits::kMaxLocalExecutors, FindUsableCores().count));
  int32_t number = 0;
  if (!absl::SimpleAtoi(std::string(count), &number)) return BadTarget(whole);
  const bool on_slurm = kind.starts_with("slurm");
  if (number < 1 || number > (on_slurm ? limits::kMaxSlurmExecutors : limits::kMaxLocalExecutors))
    return BadTarget(whole);
  if (kind == "local") return Target::Local(number);
  if (kind == "local-cluster") return Target(Kind::kLocalCluster, number);
  if (kind == "slurm") return Target(Kind::kSlurm, number);
  if (kind == "slurm-batch" && !folder.empty())
    return Target::SlurmBatch(number, std::move(folder));
  return BadTarget(whole);
}

std::string Target::ToString() const {
  switch (kind_) {
    case Kind::kLocal:
      return absl::StrCat("local[", count_, "]");
    case Kind::kLocalCluster:
      return absl::StrCat("local-cluster[", count_, "]");
    case Kind::kRemote:
      return rpc::ToString({host_, port_});
    case Kind::kSlurm:
      return absl::StrCat("slurm[", count_, "]");
    case Kind::kSlurmBatch:
      return absl::StrCat("slurm-batch[", count_, "]@", folder_);
    case Kind::kMpi:
      return "mpi";
  }
  return "?";
}

}  // namespace dl::launch
