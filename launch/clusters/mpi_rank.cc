#include "launch/clusters/mpi_rank.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "launch/clusters/slurm.h"

namespace dl::launch {
namespace {

struct Found {
  const char* name = nullptr;
  int64_t number = 0;
};

// Returns the value of the first variable that is set.
StatusOr<std::optional<Found>> FindNumber(const EnvironmentReader& environment,
                                          std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const std::string text = environment(name);
    if (text.empty()) continue;
    int64_t number = 0;
    if (absl::SimpleAtoi(text, &number) && number >= 0) return Found{name, number};
    return InvalidArgument(
        {.message = absl::StrCat("\"", text, "\" is not a rank or number of ranks"),
         .where = name,
         .remedy = "Start the command with mpirun, mpiexec or srun"});
  }
  return std::nullopt;
}

}  // namespace

StatusOr<std::optional<MpiRank>> FindMpiRank(const EnvironmentReader& environment) {
  DL_ASSIGN_OR_RETURN(
      const std::optional<Found> rank,
      FindNumber(environment, {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}));
  if (!rank) return std::nullopt;
  DL_ASSIGN_OR_RETURN(
      const std::optional<Found> all,
      FindNumber(environment, {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}));
  DL_ASSIGN_OR_RETURN(const std::optional<Found> here,
                      FindNumber(environment, {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}));
  MpiRank found{.rank = rank->number, .processes = all ? all->number : 0};
  if (all && rank->number >= all->number) {
    return InvalidArgument({.message = absl::StrCat("rank ", rank->number, " of ", all->number,
                                                    " processes (", all->name, ")"),
                            .where = rank->name,
                            .remedy = "Start the command with one launcher; ranks count from 0"});
  }
  const std::string tasks = environment("SLURM_TASKS_PER_NODE");
  found.knows_local_processes = here || !tasks.empty();
  found.local_processes = here            ? here->number
                          : tasks.empty() ? found.processes
                                          : MaxTasksPerNode(tasks);
  found.local_processes = std::max<int64_t>(found.local_processes, 1);
  return found;
}

StatusOr<std::optional<MpiRank>> FindMpiRank() {
  return FindMpiRank([](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  });
}

}  // namespace dl::launch
