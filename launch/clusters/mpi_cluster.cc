#include "launch/clusters/mpi_cluster.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/machine_memory.h"
#include "launch/clusters/mpi_meeting.h"
#include "launch/clusters/network_master.h"
#include "launch/clusters/started_processes.h"
#include "launch/clusters/supervised_process.h"
#include "launch/host_name.h"
#include "launch/pause.h"

namespace dl::launch {
namespace {

constexpr Duration kFilePause = std::chrono::milliseconds(500);

StatusOr<MpiRank> RankOfLaunch() {
  DL_ASSIGN_OR_RETURN(const std::optional<MpiRank> rank, FindMpiRank());
  if (!rank) {
    return InvalidArgument({.message = "no MPI or PMI launcher has started this process",
                            .where = "--master mpi",
                            .remedy = "Start it with mpirun -n N dl-submit run --master mpi JOB"});
  }
  if (rank->processes == 1) {
    return InvalidArgument({.message = "the launch has only one process: rank 0 is the master, and "
                                       "each other rank is an executor",
                            .where = "--master mpi",
                            .remedy = "Start 2 processes or more, one for each core and one for "
                                      "the master"});
  }
  return *rank;
}

class MpiCluster final : public Cluster {
 public:
  ~MpiCluster() override {
    if (!master_) return;
    EndMpiMeeting(data_dir_);
    master_->Close();
  }

  Status Open(const ClusterOptions& options) {
    DL_ASSIGN_OR_RETURN(const MpiRank rank, RankOfLaunch());
    DL_ASSIGN_OR_RETURN(const std::string program, DlSubmitProgram(options.program));
    DL_ASSIGN_OR_RETURN(NetworkMaster master,
                        NetworkMaster::Start({.program = program,
                                              .data_dir = options.data_dir,
                                              .host = rank.AllAreHere() ? "127.0.0.1" : HostName(),
                                              .log_path = options.data_dir + "/mpi-master.log",
                                              .executors = rank.processes}));
    master_.emplace(std::move(master));
    data_dir_ = options.data_dir;
    EndMpiMeeting(data_dir_);  // left by a run that was killed
    return absl::OkStatus();
  }

  Status StartExecutors(const KernelChoice& kernels) override {
    return AnnounceMpiMeeting(
        data_dir_,
        {.master_url = master_->url(), .token_file = master_->token_file(), .isa = kernels.isa});
  }

  rpc::ClientService& client() override { return master_->client(); }
  Status Health() override { return master_->Health(); }

 private:
  std::string data_dir_;
  std::optional<NetworkMaster> master_;
};

// Starts an executor for a meeting. It is restarted after a crash.
StatusOr<SupervisedProcess> StartExecutor(const MpiExecutorOptions& options,
                                          const std::string& program, const MpiMeeting& meeting) {
  std::vector<std::string> words = ExecutorArguments(
      {.program = program,
       .master_url = meeting.master_url,
       .token_file = meeting.token_file,
       .isa = meeting.isa,
       .memory_bytes = AvailableMemoryBytes() / 2 / options.rank.local_processes});
  return SupervisedProcess::Start(
      {.argv = std::move(words),
       .env = {"DL_DATA_DIR=" + options.data_dir},
       .out = ChildOutput::Discard(),
       .err = ChildOutput::File(
           absl::StrCat(options.data_dir, "/mpi-executor-", options.rank.rank, ".log"))});
}

// Returns nullopt if a signal arrives first.
StatusOr<std::optional<MpiMeeting>> WaitForMeeting(const MpiExecutorOptions& options) {
  const Instant deadline = Clock::Real().Now() + kMpiMeetingLimit;
  while (!options.stop->load()) {
    DL_ASSIGN_OR_RETURN(std::optional<MpiMeeting> meeting, ReadMpiMeeting(options.data_dir));
    if (meeting) return meeting;
    if (Clock::Real().Now() >= deadline) {
      return Unavailable(
          {.message = absl::StrCat("rank ", options.rank.rank, " found no master for ",
                                   Seconds(kMpiMeetingLimit), " s"),
           .where = MpiMeetingFile(options.data_dir),
           .remedy = "Give a --data-dir that all machines share, and read the output of rank 0"});
    }
    Pause(kFilePause);
  }
  return std::nullopt;
}

}  // namespace

StatusOr<std::unique_ptr<Cluster>> OpenMpi(const ClusterOptions& options) {
  auto cluster = std::make_unique<MpiCluster>();
  DL_RETURN_IF_ERROR(cluster->Open(options));
  return cluster;
}

Status RunMpiExecutor(const MpiExecutorOptions& options) {
  DL_ASSIGN_OR_RETURN(const std::string program, DlSubmitProgram(options.program));
  DL_ASSIGN_OR_RETURN(std::optional<MpiMeeting> meeting, WaitForMeeting(options));
  while (meeting && !options.stop->load()) {
    DL_ASSIGN_OR_RETURN(SupervisedProcess executor, StartExecutor(options, program, *meeting));
    std::optional<MpiMeeting> now = meeting;
    // If the meeting changes, another run has begun; the file was left by an earlier run.
    while (now == meeting && !options.stop->load()) {
      Pause(kFilePause);
      DL_RETURN_IF_ERROR(executor.Check());
      const auto read = ReadMpiMeeting(options.data_dir);
      if (read.ok()) now = *read;  // a temporary failure of the file system ends no rank
    }
    executor.Stop();
    WaitUntilExecutorsEnd({&executor, 1});
    meeting = now;
  }
  return absl::OkStatus();
}

}  // namespace dl::launch
