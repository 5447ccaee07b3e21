#include "cli/jobs/job_source.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/json.h"
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
  std::ostringstream err_;
};

TEST_F(JobSourceTest, FindsProgramInFolderOfDlSubmit) {
  const std::string path = Script("lenet", "");
  auto found = FindJob("lenet", folder_.path());
  DL_ASSERT_OK(found);
  EXPECT_EQ(found->kind, JobSource::Kind::kProgram);
  EXPECT_EQ(found->path, path);
  DL_EXPECT_OK(FindJob(path, "/nowhere"));
}

TEST_F(JobSourceTest, FindsFile) {
  std::ofstream(folder_ / "job.json") << "{}";
  auto found = FindJob(folder_ / "job.json", "/nowhere");
  DL_ASSERT_OK(found);
  EXPECT_EQ(found->kind, JobSource::Kind::kFile);
  EXPECT_THAT(FindJob("gone.json", folder_.path()),
              IsError(absl::StatusCode::kNotFound, "gone.json"));
}

TEST_F(JobSourceTest, WrongNameGetsSuggestion) {
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

// Suggestions also contain files of the current folder.
TEST_F(JobSourceTest, ExistingFileIsSuggested) {
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
              IsError(absl::StatusCode::kNotFound, "is neither a job program nor a job spec"));
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

TEST_F(JobSourceTest, ProgramPrintsItsJob) {
  const std::string path = Script("good", "[ \"$1\" = --print-job ] && echo '{\"name\": \"x\"}'\n");
  auto json = ReadJobDocument({JobSource::Kind::kProgram, path, {}}, Spawner::Real(), err_);
  DL_ASSERT_OK(json);
  EXPECT_EQ((*json)["name"], "x");
}

TEST_F(JobSourceTest, LinesOfJsonAreNamed) {
  const std::string path = folder_ / "lines.json";
  std::ofstream(path) << "{\"a\": 1}\n{\"a\": 2}\n";
  auto json = ReadJobDocument({JobSource::Kind::kFile, path, {}}, Spawner::Real(), err_);
  EXPECT_THAT(json, IsError(absl::StatusCode::kInvalidArgument, "a JSON value in each line"));
  EXPECT_EQ(ExitCodeFor(json.status()), kBadData);
}

TEST_F(JobSourceTest, FailingProgramIsInvalidJob) {
  const std::string path = Script("bad", "echo '{}'; exit 3\n");
  auto json = ReadJobDocument({JobSource::Kind::kProgram, path, {}}, Spawner::Real(), err_);
  EXPECT_THAT(json, IsError(absl::StatusCode::kInvalidArgument, "exited with 3"));
  EXPECT_EQ(ExitCodeFor(json.status()), kInvalidConfig);
  const std::string noise = Script("noise", "echo hello\n");
  EXPECT_FALSE(ReadJobDocument({JobSource::Kind::kProgram, noise, {}}, Spawner::Real(), err_).ok());
}

// The job spec may stand between other output, and it may have been formatted by another program.
TEST_F(JobSourceTest, OtherOutputOfProgramIsIgnored) {
  const std::string spec = "'{\n  \"name\": \"x\",\n  \"model\": {}\n}\n'";
  for (const std::string& body :
       {"echo reading the table; printf " + spec, "printf " + spec + "; echo done",
        "echo '{\"level\": \"info\"}'; printf " + spec + "; echo '{}'",
        std::string("echo hello; echo '{\"name\": \"x\", \"model\": {}}'")}) {
    const std::string path = Script("noisy", body + "\n");
    auto json = ReadJobDocument({JobSource::Kind::kProgram, path, {}}, Spawner::Real(), err_);
    ASSERT_TRUE(json.ok()) << body << json.status();
    EXPECT_EQ((*json)["name"], "x") << body;
  }
  const std::string none = Script("none", "echo hello\n");
  EXPECT_THAT(ReadJobDocument({JobSource::Kind::kProgram, none, {}}, Spawner::Real(), err_),
              IsError(absl::StatusCode::kInvalidArgument, "prints no job spec"));
}

TEST_F(JobSourceTest, ErrorTextOfProgramIsShown) {
  const std::string bad = Script("bad", "echo 'error: no depth' >&2; exit 78\n");
  EXPECT_THAT(ReadJobDocument({JobSource::Kind::kProgram, bad, {}}, Spawner::Real(), err_),
              IsError(absl::StatusCode::kInvalidArgument, "exited with 78: no depth"));
  EXPECT_EQ(err_.str(), "") << "once";
  const std::string good = Script("good", "echo careful >&2; echo '{\"name\": \"x\"}'\n");
  DL_EXPECT_OK(ReadJobDocument({JobSource::Kind::kProgram, good, {}}, Spawner::Real(), err_));
  EXPECT_EQ(err_.str(), "careful\n");
}

TEST_F(JobSourceTest, ArgumentsArePassedToProgram) {
  const std::string path = Script("args", "echo \"{\\\"name\\\": \\\"$2 $3\\\"}\"\n");
  auto json =
      ReadJobDocument({JobSource::Kind::kProgram, path, {"--depth", "3"}}, Spawner::Real(), err_);
  DL_ASSERT_OK(json);
  EXPECT_EQ((*json)["name"], "--depth 3");
  std::ofstream(folder_ / "job.json") << "{}";
  const auto file =
      ReadJobDocument({JobSource::Kind::kFile, folder_ / "job.json", {"x"}}, Spawner::Real(), err_);
  EXPECT_EQ(ExitCodeFor(file.status()), kUsage);
}

TEST_F(JobSourceTest, RelativePathsStartAtNamingFile) {
  const std::string file = folder_ / "job.json";
  const auto read = [&](const char* text) {
    std::ofstream(file) << text;
    return ReadJobDocument({JobSource::Kind::kFile, file, {}}, Spawner::Real(), err_).value();
  };
  const Json job = read(R"({"data": {
      "train": {"format": "idx", "features": "f.gz", "labels": "../l.gz"},
      "test": {"format": "cifar10", "paths": ["/abs/a.bin", "b.bin"]}}})");
  EXPECT_EQ(job["data"]["train"]["features"], folder_ / "f.gz");
  EXPECT_EQ(job["data"]["train"]["labels"],
            (std::filesystem::path(folder_.path()).parent_path() / "l.gz").string());
  EXPECT_EQ(job["data"]["test"]["paths"], (Json{"/abs/a.bin", folder_ / "b.bin"}));
  EXPECT_EQ(read(R"({"format": "csv", "path": "t.csv"})")["path"], folder_ / "t.csv");
  // Values that are not a dataset stay unchanged. The reader reports the error.
  for (const char* text : {"[]", "3", R"({"data": 3})", R"({"data": {"train": [1]}})",
                           R"({"path": 3, "paths": {"a": 1}})", R"({"path": ""})"})
    EXPECT_EQ(read(text), Json::parse(text));
}

}  // namespace
}  // namespace dl::cli
