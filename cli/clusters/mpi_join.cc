#include "cli/clusters/mpi_join.h"

#include "cli/exit_code.h"
#include "cli/interrupts.h"
#include "launch/clusters/mpi_cluster.h"
#include "launch/clusters/mpi_rank.h"
#include "launch/daemons/state_dir.h"

namespace dl::cli {

StatusOr<std::optional<int>> JoinMpiMaster(const launch::Target& target, const Settings& settings) {
  if (!target.is_mpi()) return std::nullopt;
  DL_ASSIGN_OR_RETURN(const std::optional<launch::MpiRank> rank, launch::FindMpiRank());
  if (!rank || rank->rank == 0) return std::nullopt;
  DL_ASSIGN_OR_RETURN(const std::string data_dir, launch::StateDir(settings.data_dir.value));
  const Interrupts interrupts;
  DL_RETURN_IF_ERROR(
      launch::RunMpiExecutor({.rank = *rank, .data_dir = data_dir, .stop = &interrupts.stop()}));
  return interrupts.exit_code();
}

}  // namespace dl::cli
