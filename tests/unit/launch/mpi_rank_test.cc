// The rank of a process, from what launchers put into its environment; and the file by which ranks
// meet.
#include "launch/clusters/mpi_rank.h"

#include <map>

#include "base/files.h"
#include "gtest/gtest.h"
#include "launch/clusters/mpi_meeting.h"
#include "launch/clusters/target.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::launch {
namespace {

using test::IsError;

StatusOr<std::optional<MpiRank>> RankIn(const std::map<std::string, std::string>& environment) {
  return FindMpiRank([&](const char* name) -> std::string {
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
  });
}

MpiRank Found(const std::map<std::string, std::string>& environment) {
  const auto rank = RankIn(environment);
  DL_EXPECT_OK(rank);
  if (!rank.ok() || !*rank) return {.rank = -1};
  return **rank;
}

TEST(MpiRank, ReadsVariablesOfEachLauncher) {
  const MpiRank open_mpi = Found({{"OMPI_COMM_WORLD_RANK", "3"},
                                  {"OMPI_COMM_WORLD_SIZE", "9"},
                                  {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                                  {"PMIX_RANK", "3"}});
  EXPECT_EQ(open_mpi.rank, 3);
  EXPECT_EQ(open_mpi.processes, 9);
  EXPECT_EQ(open_mpi.local_processes, 4);
  EXPECT_FALSE(open_mpi.AllAreHere());
  const MpiRank mpich = Found({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "2"}});
  EXPECT_EQ(mpich.rank, 1);
  EXPECT_TRUE(mpich.AllAreHere());
  const MpiRank slurm =
      Found({{"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "8"}, {"SLURM_TASKS_PER_NODE", "2(x4)"}});
  EXPECT_EQ(slurm.rank, 5);
  EXPECT_EQ(slurm.local_processes, 2);
  // Without a local number, the other rank may be on another machine, which 127.0.0.1 is not.
  const MpiRank pmi = Found({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}});
  EXPECT_EQ(pmi.local_processes, 2);
  EXPECT_FALSE(pmi.AllAreHere());
  const MpiRank pmix = Found({{"PMIX_RANK", "2"}});
  EXPECT_EQ(pmix.rank, 2);
  EXPECT_EQ(pmix.processes, 0) << "not known";
  EXPECT_FALSE(pmix.AllAreHere());
}

TEST(MpiRank, LauncherInsideBatchJobDecides) {
  EXPECT_EQ(
      Found({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}, {"PMI_RANK", "3"}, {"PMI_SIZE", "4"}})
          .rank,
      3);
}

TEST(MpiRank, NoLauncherGivesNoRank) {
  const auto rank = RankIn({{"PMI_SIZE", "4"}});
  DL_ASSERT_OK(rank);
  EXPECT_FALSE(rank->has_value());
}

TEST(MpiRank, InvalidNumbersAreErrors) {
  for (const char* wrong : {"x", "-1", "1.5"})
    EXPECT_THAT(RankIn({{"PMI_RANK", wrong}}).status(),
                IsError(absl::StatusCode::kInvalidArgument, "is not a rank"));
  EXPECT_THAT(RankIn({{"PMI_RANK", "4"}, {"PMI_SIZE", "4"}}).status(),
              IsError(absl::StatusCode::kInvalidArgument, "rank 4 of 4 processes"));
}

TEST(MpiMeeting, AnnouncementIsReadUntilRemoved) {
  const test::TempFolder folder;
  const std::string data = folder / "";
  const auto none = ReadMpiMeeting(data);
  DL_ASSERT_OK(none);
  EXPECT_FALSE(none->has_value());
  const MpiMeeting meeting{.master_url = "dl://n1:7077", .token_file = "/d/t", .isa = "avx2"};
  DL_ASSERT_OK(AnnounceMpiMeeting(data, {.master_url = "dl://n0:1", .token_file = "/d/t"}));
  DL_ASSERT_OK(AnnounceMpiMeeting(data, meeting));
  const auto read = ReadMpiMeeting(data);
  DL_ASSERT_OK(read);
  EXPECT_EQ(*read, meeting);
  EndMpiMeeting(data);
  EXPECT_FALSE(ReadMpiMeeting(data)->has_value());
  DL_ASSERT_OK(AtomicWriteFile(MpiMeetingFile(data), R"({"format":1,"master":"x"})"));
  EXPECT_THAT(ReadMpiMeeting(data).status(), IsError(absl::StatusCode::kInvalidArgument, "isa"));
}

struct Capabilities {
  const char* text;
  bool is_standing, starts_executors, is_batch, is_in_batch;
};

TEST(Target, CapabilitiesFollowFromTheText) {
  for (const Capabilities& want : {Capabilities{"local[2]", false, true, false, false},
                                   {"local-cluster[2]", false, true, false, false},
                                   {"dl://host:7077", true, false, false, false},
                                   {"slurm[2]", false, false, true, false},
                                   {"slurm-batch[2]@/f", false, true, false, true},
                                   {"mpi", false, true, false, false}}) {
    const auto target = ParseTarget(want.text);
    DL_ASSERT_OK(target);
    EXPECT_EQ(target->is_standing(), want.is_standing) << want.text;
    EXPECT_EQ(target->can_detach(), want.is_standing) << want.text;
    EXPECT_EQ(target->starts_executors(), want.starts_executors) << want.text;
    EXPECT_EQ(target->is_batch(), want.is_batch) << want.text;
    EXPECT_EQ(target->is_in_batch(), want.is_in_batch) << want.text;
    EXPECT_EQ(target->ToString(), want.text);
  }
}

}  // namespace
}  // namespace dl::launch
