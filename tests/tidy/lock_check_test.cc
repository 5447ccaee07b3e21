#include "tests/tidy/lock_check.h"

#include "base/files.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::tidy {
namespace {

TEST(FilesWithLocks, AreThoseThatLockAndTheUsersOfTheirHeaders) {
  const std::string mutex = "#include \"base/mutex.h\"\n";
  const SourceTree tree = {{"base/queue.h", mutex},
                           {"base/queue.cc", "#include \"base/queue.h\"\n"},
                           {"rpc/lane.cc", mutex},
                           {"rpc/far.h", "#include \"base/queue.h\"\n"},
                           {"rpc/far.cc", "#include \"rpc/far.h\"\n"},
                           {"job/a.cc", "#include \"job/a.h\"\n"}};
  EXPECT_EQ(FilesWithLocks(tree), (std::vector<std::string>{"base/queue.cc", "rpc/lane.cc"}));
}

std::string ComplaintsAbout(const std::string& body) {
  test::TempFolder folder;
  DL_EXPECT_OK(AtomicWriteFile(folder / "a.cc",
                               "#include \"base/mutex.h\"\nstruct S {\n  dl::Mutex mutex;\n"
                               "  int value DL_GUARDED_BY(mutex) = 0;\n  int Get() { " +
                                   body + " }\n};\n"));
  const auto complaints = LockComplaints({folder / "a.cc"}, {"-I" DL_SOURCE_ROOT});
  DL_EXPECT_OK(complaints);
  return complaints.value_or("");
}

TEST(LockComplaints, AForgottenLockIsSeen) {
  if (!HasClang()) GTEST_SKIP() << "no clang++ here: ./dev install-deps brings it";
  EXPECT_THAT(ComplaintsAbout("return value;"),
              testing::HasSubstr("requires holding mutex 'mutex'"));
  EXPECT_EQ(ComplaintsAbout("dl::MutexLock lock(mutex); return value;"), "");
  EXPECT_THAT(ComplaintsAbout("return no_such_name;"), testing::HasSubstr("no_such_name"));
}

}  // namespace
}  // namespace dl::tidy
