// Applies all rules to the tree. The tests next to this file show what each rule finds.
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "tests/support/status_matchers.h"
#include "tests/tidy/checked_file.h"
#include "tests/tidy/document_rules.h"
#include "tests/tidy/filesystem_rules.h"
#include "tests/tidy/include_rules.h"
#include "tests/tidy/language_rules.h"
#include "tests/tidy/listing_rules.h"
#include "tests/tidy/lock_check.h"
#include "tests/tidy/message_list.h"
#include "tests/tidy/seam_rules.h"
#include "tests/tidy/style_rules.h"

namespace dl::tidy {
namespace {

const SourceTree& Tree() {
  static const SourceTree tree = ReadTree(DL_SOURCE_ROOT);
  return tree;
}

// Files over 400 lines: the list may only shrink.
const std::vector<LongFile> kLongFiles = {};

// Numbers of sentences that are hard to read by their signs. The numbers may only fall.
const std::map<std::string, SignCounts> kSigns = {
    {"job", {.lengths = 1}},
    {"master", {.openings = 1}},
    {"nn", {.lengths = 5}},
    {"storage", {.behind = 1, .lengths = 1}},
    {"tests", {.openings = 3, .people = 1, .lengths = 2}},
};

// Documents with lines or cells that are too wide: the list may only shrink.
const std::set<std::string> kWideDocuments = {};

template <typename Rule>
void ExpectClean(Rule rule) {
  for (const SourceFile& file : Tree()) {
    for (const Violation& violation : rule(file)) ADD_FAILURE() << ToString(violation);
  }
}

TEST(Tidy, SeesTheTree) {
  std::set<std::string> paths;
  for (const SourceFile& file : Tree()) paths.insert(file.path);
  for (const char* path :
       {"base/mutex.h", "tests/tidy/tidy_test.cc", "CMakeLists.txt", "dev", ".ci/run"}) {
    EXPECT_TRUE(paths.contains(path)) << path;
  }
  for (const std::string& path : paths)
    EXPECT_FALSE(path.starts_with("build/") || path.starts_with(".git/")) << path;
}

TEST(Tidy, IncludesFollowTheTableOfEdges) { ExpectClean(CheckEdges); }
TEST(Tidy, ComponentsUseOnlyEarlierOnes) { ExpectClean(CheckComponentOrder); }
TEST(Tidy, TargetsFollowTheTableOfEdges) { ExpectClean(CheckLinkedTargets); }
TEST(Tidy, OneFolderPerThirdParty) { ExpectClean(CheckThirdParties); }
TEST(Tidy, SeamsAreUsed) { ExpectClean(CheckSeams); }
TEST(Tidy, FilesystemCallsReportByErrorCode) { ExpectClean(CheckFilesystemCalls); }
TEST(Tidy, NamesNameConcepts) { ExpectClean(CheckName); }
TEST(Tidy, HeadersAreGuarded) { ExpectClean(CheckGuard); }
TEST(Tidy, NotesAreWhole) { ExpectClean(CheckNotes); }
TEST(Tidy, NoPathsOfOneMachine) { ExpectClean(CheckMachinePaths); }

TEST(Tidy, ComponentsExist) {
  for (const Violation& violation : CheckComponentsExist(Tree()))
    ADD_FAILURE() << ToString(violation);
}

TEST(Tidy, MethodsCommandsAndEventsAreListed) {
  for (const Violation& violation : CheckListings(Tree())) ADD_FAILURE() << ToString(violation);
}

TEST(Tidy, FilesAreShort) {
  ExpectClean([](const SourceFile& file) { return CheckLength(file, kLongFiles); });
}

TEST(Tidy, HeaderNamesAreUnique) {
  for (const Violation& violation : CheckHeaderNames(Tree())) ADD_FAILURE() << ToString(violation);
}

TEST(Tidy, ProseIsPlain) {
  for (const Violation& violation : CheckSigns(CountSigns(Tree()), kSigns))
    ADD_FAILURE() << ToString(violation);
}

TEST(Tidy, DocumentsAreNarrow) {
  for (const SourceFile& file : Tree()) {
    const Violations found = CheckDocumentWidths(file);
    if (kWideDocuments.contains(file.path)) {
      EXPECT_FALSE(found.empty()) << file.path << " is narrow now. Remove it from the list";
    } else {
      for (const Violation& violation : found) ADD_FAILURE() << ToString(violation);
    }
  }
}

TEST(Tidy, TermsOfTheGlossaryExist) {
  for (const Violation& violation : CheckGlossary(Tree())) ADD_FAILURE() << ToString(violation);
}

TEST(Tidy, PathsAndNamesInDocumentsExist) {
  for (const Violation& violation : CheckPathsInDocuments(Tree()))
    ADD_FAILURE() << ToString(violation);
  for (const Violation& violation : CheckNamesInDocuments(Tree()))
    ADD_FAILURE() << ToString(violation);
}

TEST(Tidy, ListOfMessagesIsUpToDate) {
  const std::string root = std::string(DL_SOURCE_ROOT) + "/";
  const auto lists = ListMessages(Tree());
  for (const auto& [path, text] : lists) {
    EXPECT_EQ(ReadFile(root + path, int64_t{1} << 20).value_or(""), text)
        << path << " is not up to date. Read the change, then run ./dev messages";
  }
  for (const auto& entry : std::filesystem::directory_iterator(root + kMessageFolder)) {
    const std::string path = absl::StrCat(kMessageFolder, "/", entry.path().filename().string());
    EXPECT_TRUE(lists.contains(path)) << path << " lists nothing. Remove it";
  }
}

TEST(Tidy, LinksOfDocumentsLeadSomewhere) {
  std::set<std::string> paths;
  for (const SourceFile& file : Tree()) paths.insert(file.path);
  paths.insert("LICENSE");
  ExpectClean([&](const SourceFile& file) { return CheckLinks(file, paths); });
}

TEST(Tidy, DocumentsShowFilesAsTheyAre) {
  ExpectClean([](const SourceFile& file) { return CheckShownFiles(file, Tree()); });
}

TEST(Tidy, LocksHoldUnderThreadSafetyAnalysis) {
  if (!HasClang()) GTEST_SKIP() << "no clang++ here: ./dev install-deps brings it";
  const auto flags = IncludeFlags(DL_COMPILE_COMMANDS);
  DL_ASSERT_OK(flags);
  const std::string root = DL_SOURCE_ROOT;
  const std::vector<std::string> files = FilesWithLocks(Tree());
  ASSERT_GE(files.size(), 3u) << "the include graph lost base/mutex.h";
  const auto complaints =
      LockComplaints(root, files, *flags, root + "/tests/support/test_precompiled.h");
  DL_ASSERT_OK(complaints);
  EXPECT_EQ(*complaints, "");
}

}  // namespace
}  // namespace dl::tidy
