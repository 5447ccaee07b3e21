#include "tests/tidy/lock_check.h"

#include <map>

#include "base/files.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::tidy {
namespace {

TEST(FilesWithLocks, IncludeUsersOfLockingHeaders) {
  const std::string mutex = "#include \"base/mutex.h\"\n";
  const SourceTree tree = {{"base/queue.h", mutex},
                           {"base/queue.cc", "#include \"base/queue.h\"\n"},
                           {"rpc/connection_pool.cc", mutex},
                           {"rpc/far.h", "#include \"base/queue.h\"\n"},
                           {"rpc/far.cc", "#include \"rpc/far.h\"\n"},
                           {"job/a.cc", "#include \"job/a.h\"\n"}};
  EXPECT_EQ(FilesWithLocks(tree),
            (std::vector<std::string>{"base/queue.cc", "rpc/connection_pool.cc"}));
}

constexpr char kGuarded[] =
    "#include \"base/mutex.h\"\nnamespace {\nstruct S {\n  dl::Mutex mutex;\n"
    "  int value DL_GUARDED_BY(mutex) = 0;\n  int Get() { ";

// Returns the complaints about a tree of files. Each file has one function with the given body.
std::string ComplaintsAbout(const std::map<std::string, std::string>& bodies) {
  test::TempFolder folder;
  std::vector<std::string> files;
  for (const auto& [file, body] : bodies) {
    DL_EXPECT_OK(CreateFolders(folder / file.substr(0, file.rfind('/'))));
    DL_EXPECT_OK(AtomicWriteFile(folder / file, kGuarded + body + " }\n};\n}\n"));
    files.push_back(file);
  }
  const auto complaints = LockComplaints(folder.path(), files, {"-I" DL_SOURCE_ROOT}, "");
  DL_EXPECT_OK(complaints);
  return complaints.value_or("");
}

constexpr char kLocks[] = "dl::MutexLock lock(mutex); return value;";

TEST(LockComplaints, ForgottenLockIsFound) {
  if (!HasClang()) GTEST_SKIP() << "no clang++ here: ./dev install-deps brings it";
  EXPECT_THAT(ComplaintsAbout({{"base/a.cc", "return value;"}}),
              testing::HasSubstr("requires holding mutex 'mutex'"));
  EXPECT_EQ(ComplaintsAbout({{"base/a.cc", kLocks}}), "");
  EXPECT_THAT(ComplaintsAbout({{"base/a.cc", "return no_such_name;"}}),
              testing::HasSubstr("no_such_name"));
}

// Files that define the same name cannot be read together. The check then reads each file
// separately.
TEST(LockComplaints, FilesThatShareANameAreReadOneByOne) {
  if (!HasClang()) GTEST_SKIP() << "no clang++ here: ./dev install-deps brings it";
  EXPECT_EQ(ComplaintsAbout({{"base/a.cc", kLocks}, {"base/b.cc", kLocks}, {"rpc/a.cc", kLocks}}),
            "");
  const std::string said = ComplaintsAbout(
      {{"base/a.cc", kLocks}, {"base/b.cc", "return value;"}, {"rpc/a.cc", kLocks}});
  EXPECT_THAT(said, testing::HasSubstr("base/b.cc"));
  EXPECT_THAT(said, testing::HasSubstr("requires holding mutex 'mutex'"));
  EXPECT_THAT(said, testing::Not(testing::HasSubstr("redefinition")));
}

}  // namespace
}  // namespace dl::tidy
