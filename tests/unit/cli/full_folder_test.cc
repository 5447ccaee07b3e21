// A data folder on a full disk: commands that only read work, delete frees space, and nothing
// crashes.
#include <filesystem>

#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/damage.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int64_t kMiB = 1 << 20;

class FullFolder : public testing::Test {
 protected:
  void SetUp() override {
    if (!disk_.refused().empty()) GTEST_SKIP() << disk_.refused();
    job_ = WriteSmallJob(folder_.path());
    ASSERT_EQ(Run({"run", job_, "-q"}).code, kSuccess);
  }
  Ended Run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--data-dir", disk_.path() + "/D"});
    return DlSubmit(words);
  }

  const test::TempFolder folder_;
  test::SmallDisk disk_{400 * kMiB};
  std::string job_;
};

TEST_F(FullFolder, ReadingCommandsWork) {
  // The memory on this machine is measured, so it may differ between two calls.
  const auto inspect = [&] {
    const std::string text = Run({"inspect", "small-1"}).out;
    return text.substr(0, text.find("  on this machine"));
  };
  const std::string before = inspect();
  for (const int64_t left : {int64_t{0}, 100 * int64_t{1024}, 20 * kMiB}) {
    disk_.Leave(left);
    EXPECT_THAT(Run({"list"}).out, HasSubstr("SUCCEEDED")) << left;
    EXPECT_THAT(Run({"status", "small-1"}).out, HasSubstr("SUCCEEDED")) << left;
    EXPECT_THAT(Run({"logs", "small-1"}).out, HasSubstr("SUCCEEDED")) << left;
    EXPECT_THAT(Run({"history", "small-1"}).out, HasSubstr("train loss")) << left;
    EXPECT_THAT(Run({"checkpoints", "small-1"}).out, HasSubstr("small-1@")) << left;
    EXPECT_EQ(inspect(), before) << left;
    EXPECT_EQ(Run({"evaluate", "small-1"}).code, kSuccess) << left;
    EXPECT_EQ(Run({"export", "small-1", "-o", folder_ / "x.npz"}).code, kSuccess) << left;
  }
}

TEST_F(FullFolder, WritingCommandsReportFullDisk) {
  for (const int64_t left : {int64_t{0}, 100 * int64_t{1024}, 20 * kMiB}) {
    disk_.Leave(left);
    const Ended refused = Run({"run", job_, "-q"});
    EXPECT_EQ(refused.code, kInputOutput) << left << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("ree space")) << left;
  }
}

TEST_F(FullFolder, DeleteFreesSpace) {
  disk_.Leave(0);
  const Ended deleted = Run({"delete", "small-1"});
  EXPECT_EQ(deleted.code, kSuccess) << deleted.err;
  EXPECT_THAT(Run({"list"}).out, Not(HasSubstr("small-1")));
  disk_.MakeRoom();
  EXPECT_THAT(Run({"list"}).out, Not(HasSubstr("small-1"))) << "the deletion is durable";
  EXPECT_EQ(Run({"run", job_, "-q"}).code, kSuccess);
}

TEST_F(FullFolder, FolderOfOtherUserIsDenied) {
  if (geteuid() != 0) GTEST_SKIP() << "only root starts processes of another user";
  const Ended ended = Shell("exec setpriv --reuid 65534 --clear-groups \"$DL\" list --data-dir " +
                            disk_.path() + "/D");
  EXPECT_EQ(ended.code, kInputOutput) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("cannot look into the data folder: Permission denied"));
}

}  // namespace
}  // namespace dl::cli
