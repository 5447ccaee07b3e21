#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/json.h"
#include "cli/command_session.h"
#include "cli/exit_code.h"
#include "gtest/gtest.h"
#include "launch/daemons/data_folder.h"
#include "launch/kernel_contracts.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::cli {
namespace {

using launch::DataFolder;
using test::IsError;

Settings LocalIn(const std::string& folder) {
  return {.master = {"local[2]", "built-in"}, .data_dir = {folder, "flag --data-dir"}};
}

TEST(DataFolder, OneProcessOpensFolderAtATime) {
  const test::TempFolder folder;
  EXPECT_FALSE(DataFolder::Holder(folder.path()));
  {
    auto held = DataFolder::Open(folder.path());
    DL_ASSERT_OK(held);
    auto holder = DataFolder::Holder(folder.path());
    ASSERT_TRUE(holder);
    EXPECT_EQ(holder->pid, getpid());
    EXPECT_NE(holder->command.find("cli_unit_test"), std::string::npos) << holder->command;
    EXPECT_EQ(holder->master, "");
    const auto second = DataFolder::Open(folder.path());
    EXPECT_THAT(second, IsError(absl::StatusCode::kFailedPrecondition,
                                "in use by process " + std::to_string(getpid())));
    EXPECT_EQ(ExitCodeFor(second.status()), kTryAgain);
    DL_ASSERT_OK(
        held->Announce({.on_its_machine = "dl://127.0.0.1:7077", .on_other_machines = ""}));
    EXPECT_EQ(DataFolder::Holder(folder.path())->master, "dl://127.0.0.1:7077");
  }
  EXPECT_FALSE(DataFolder::Holder(folder.path())) << "the lock ends with the object";
  DL_EXPECT_OK(DataFolder::Open(folder.path()));
}

// Commands on other machines see the holder through a network file system. Its loopback address
// would lead them to themselves.
TEST(DataFolder, HolderOnAnotherMachineHasItsOtherAddress) {
  const test::TempFolder folder;
  auto held = DataFolder::Open(folder.path());
  DL_ASSERT_OK(held);
  const auto seen_elsewhere = [&](const std::string& elsewhere) {
    EXPECT_TRUE(
        held->Announce({.on_its_machine = "dl://127.0.0.1:7077", .on_other_machines = elsewhere})
            .ok());
    EXPECT_EQ(DataFolder::Holder(folder.path())->master, "dl://127.0.0.1:7077");
    Json content = *ParseJson(*ReadFile(folder / "holder", 4096), "holder");
    content["machine"] = "node1.of.another.cluster";
    std::ofstream(folder / "holder", std::ios::trunc) << content.dump();
    return *DataFolder::Holder(folder.path());
  };
  EXPECT_EQ(seen_elsewhere("dl://node1:7077").master, "dl://node1:7077");
  const auto unreachable = seen_elsewhere("");
  EXPECT_EQ(unreachable.master, "") << "it answers only on its machine";
  EXPECT_THAT(launch::FolderInUse(folder.path(), unreachable),
              IsError(absl::StatusCode::kFailedPrecondition, ") on node1.of.another.cluster"));
  EXPECT_FALSE(launch::HolderIfCommand(unreachable)) << "its processes are not here";
}

TEST(DataFolder, SilentHolderIsNamed) {
  const test::TempFolder folder;
  auto held = DataFolder::Open(folder.path());
  DL_ASSERT_OK(held);
  for (const char* text : {"", "{\"pid\":", "[]", R"({"pid":"x","command":3})"}) {
    std::ofstream(folder / "holder", std::ios::trunc) << text;
    EXPECT_THAT(DataFolder::Open(folder.path()),
                IsError(absl::StatusCode::kFailedPrecondition, "another process"))
        << text;
  }
}

TEST(Session, QueryCreatesNoDataFolder) {
  const test::TempFolder folder;
  const std::string path = folder / "typo";
  const auto session = OpenSession(LocalIn(path), kSessionToQuery);
  EXPECT_THAT(session, IsError(absl::StatusCode::kNotFound, path));
  EXPECT_EQ(ExitCodeFor(session.status()), kNotFound);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Session, HeldFolderIsQueriedThroughMaster) {
  const test::TempFolder folder;
  auto held = DataFolder::Open(folder.path());
  DL_ASSERT_OK(held);
  EXPECT_THAT(OpenSession(LocalIn(folder.path()), kSessionToQuery),
              IsError(absl::StatusCode::kFailedPrecondition, "in use by process"));
  DL_ASSERT_OK(held->Announce({.on_its_machine = "dl://127.0.0.1:7077", .on_other_machines = ""}));
  auto session = OpenSession(LocalIn(folder.path()), kSessionToQuery);
  DL_ASSERT_OK(session);
  EXPECT_TRUE(session->is_remote());
  EXPECT_EQ(session->target.ToString(), "dl://127.0.0.1:7077");
  // A new job does not join a cluster that another command runs. The message says how to submit it
  // there.
  const auto run = OpenSession(LocalIn(folder.path()), kSessionToRun);
  EXPECT_THAT(run, IsError(absl::StatusCode::kFailedPrecondition, "--master dl://127.0.0.1:7077"));
  EXPECT_EQ(ExitCodeFor(run.status()), kTryAgain);
}

TEST(Session, BadMasterNamesOriginOfSetting) {
  EXPECT_EQ(
      ExitCodeFor(OpenSession({.master = {"locla", "flag --master"}}, kSessionToQuery).status()),
      kUsage);
  EXPECT_EQ(
      ExitCodeFor(
          OpenSession({.master = {"locla", "environment DL_MASTER"}}, kSessionToQuery).status()),
      kInvalidConfig);
}

TEST(Session, StandingMasterRefusesDataDir) {
  const auto session = OpenSession(
      {.master = {"dl://127.0.0.1:7077", "flag --master"}, .data_dir = {"/srv", "flag --data-dir"}},
      kSessionToQuery);
  EXPECT_EQ(ExitCodeFor(session.status()), kUsage);
  DL_EXPECT_OK(OpenSession({.master = {"dl://127.0.0.1:7077", "flag --master"},
                            .data_dir = {"/srv", "environment DL_DATA_DIR"}},
                           kSessionToQuery));
}

TEST(KernelContracts, ContractNamesInstructionSet) {
  const std::vector<std::string> offered = launch::KernelContracts();
  if (offered.empty()) GTEST_SKIP() << "a machine below AVX2";
  const std::vector<std::string> levels = {"avx2", "avx512", "avx512_bf16", "amx"};
  ASSERT_EQ(offered.back(), "portable/1");
  EXPECT_EQ(launch::IsaOfContract("portable/1").value_or("?"), "") << "any instruction set";
  EXPECT_THAT(launch::IsaOfContract("portable/2"),
              IsError(absl::StatusCode::kFailedPrecondition, "portable/1"));
  for (size_t i = 0; i + 1 < offered.size(); ++i) {
    auto isa = launch::IsaOfContract(offered[i]);
    DL_ASSERT_OK(isa);
    EXPECT_EQ(*isa, levels[i]);
  }
  EXPECT_EQ(launch::IsaOfContract("").value_or("?"), "");
  EXPECT_THAT(launch::IsaOfContract("native/0;isa=avx2"),
              IsError(absl::StatusCode::kFailedPrecondition, offered.front()));
}

}  // namespace
}  // namespace dl::cli
