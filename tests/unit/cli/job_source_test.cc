#include "cli/job_source.h"

#include <filesystem>
#include <fstream>

#include "cli/exit_code.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::cli {
namespace {

using test::IsError;

class JobSourceTest : public testing::Test {
 protected:
  std::string Script(const std::string& name, const std::string& body) {
    const std::string path = folder_ / name;
    std::ofstream(path) << "#!/bin/sh\n" << body;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  test::TempFolder folder_;
};

TEST_F(JobSourceTest, FindsAProgramBesideDlSubmit) {
  const std::string path = Script("lenet", "");
  auto found = FindJob("lenet", folder_.path());
  DL_ASSERT_OK(found);
  EXPECT_EQ(found->kind, JobSource::Kind::kProgram);
  EXPECT_EQ(found->path, path);
  DL_EXPECT_OK(FindJob(path, "/nowhere"));
}

TEST_F(JobSourceTest, FindsAFile) {
  std::ofstream(folder_ / "job.json") << "{}";
  auto found = FindJob(folder_ / "job.json", "/nowhere");
  DL_ASSERT_OK(found);
  EXPECT_EQ(found->kind, JobSource::Kind::kFile);
  EXPECT_THAT(FindJob("gone.json", folder_.path()),
              IsError(absl::StatusCode::kNotFound, "gone.json"));
}

TEST_F(JobSourceTest, AWrongNameComesWithASuggestion) {
  Script("lenet", "");
  Script("dl-submit", "");
  std::ofstream(folder_ / "lenett") << "not executable";
  EXPECT_EQ(JobPrograms(folder_.path()), std::vector<std::string>{"lenet"});
  EXPECT_THAT(FindJob("lennet", folder_.path()),
              IsError(absl::StatusCode::kNotFound, "did you mean \"lenet\""));
  EXPECT_THAT(FindJob("le", folder_.path()),
              IsError(absl::StatusCode::kNotFound, "did you mean \"lenet\""));
  EXPECT_THAT(FindJob("", folder_.path()), IsError(absl::StatusCode::kNotFound, "no job program"));
  EXPECT_THAT(FindJob(folder_.path(), "/nowhere"),
              IsError(absl::StatusCode::kNotFound, "no job program"));
}

// What stands in the folder where the command runs is near, too.
TEST_F(JobSourceTest, AFileThatIsHereIsSuggested) {
  std::filesystem::create_directory(folder_ / "bin");
  std::ofstream(folder_ / "iris.json") << "{}";
  std::ofstream(folder_ / "notes") << "no program";
  Script("own", "");
  const auto said = [&](const std::string& text) {
    return FindJob(text, folder_ / "bin").status();
  };
  EXPECT_THAT(said(folder_ / "irsi.json"),
              IsError(absl::StatusCode::kNotFound, "did you mean \"iris.json\""));
  EXPECT_THAT(said(folder_ / "iris.jsn"),
              IsError(absl::StatusCode::kNotFound, "did you mean \"iris.json\""));
  EXPECT_THAT(said(folder_ / "notes"),
              IsError(absl::StatusCode::kNotFound, "neither a job program nor a job spec"));
  EXPECT_THAT(said(folder_ / "none/iris.json"),
              IsError(absl::StatusCode::kNotFound, "there is no folder"));
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  EXPECT_THAT(said("iris"), IsError(absl::StatusCode::kNotFound, "did you mean \"iris.json\""));
  EXPECT_THAT(said("own"), IsError(absl::StatusCode::kNotFound, "did you mean \"./own\""));
  EXPECT_THAT(said("iris.jsno"),
              IsError(absl::StatusCode::kNotFound, "did you mean \"iris.json\""));
  std::filesystem::current_path(before);
}

TEST_F(JobSourceTest, AsksAProgramForItsJob) {
  const std::string path = Script("good", "[ \"$1\" = --print-job ] && echo '{\"name\": \"x\"}'\n");
  auto json = ReadJobDocument({JobSource::Kind::kProgram, path}, Spawner::Real());
  DL_ASSERT_OK(json);
  EXPECT_EQ((*json)["name"], "x");
}

TEST_F(JobSourceTest, AProgramThatFailsIsAnInvalidJob) {
  const std::string path = Script("bad", "echo '{}'; exit 3\n");
  auto json = ReadJobDocument({JobSource::Kind::kProgram, path}, Spawner::Real());
  EXPECT_THAT(json, IsError(absl::StatusCode::kInvalidArgument, "exited with 3"));
  EXPECT_EQ(ExitCodeFor(json.status()), kInvalidConfig);
  const std::string noise = Script("noise", "echo hello\n");
  EXPECT_FALSE(ReadJobDocument({JobSource::Kind::kProgram, noise}, Spawner::Real()).ok());
}

}  // namespace
}  // namespace dl::cli
