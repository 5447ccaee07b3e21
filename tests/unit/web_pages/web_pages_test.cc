// Checks the templates, sources and built files of web/pages.
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/checksum.h"
#include "base/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/dataset/packed_bytes.h"
#include "tests/unit/web_pages/template_rules.h"

namespace dl::web {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

constexpr int64_t kLongest = int64_t{1} << 20;

std::string PathOf(const std::string& file) {
  return std::string(DL_SOURCE_ROOT) + "/web/pages/" + file;
}

std::string TextOf(const std::string& file) {
  auto text = ReadFile(PathOf(file), kLongest);
  EXPECT_THAT(text, test::IsOk()) << file;
  return text.value_or("");
}

std::vector<std::string> Lines(const std::string& text) {
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

// Names of the files in a folder of web/pages, with the folder.
std::set<std::string> FilesIn(const std::string& folder) {
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(PathOf(folder)))
    files.insert(folder + "/" + entry.path().filename().string());
  return files;
}

// Texts of all templates by name.
const std::map<std::string, std::string>& Templates() {
  static const auto* const templates = [] {
    auto* found = new std::map<std::string, std::string>;
    for (const std::string& file : FilesIn("templates"))
      (*found)[fs::path(file).stem().string()] = TextOf(file);
    return found;
  }();
  return *templates;
}

TEST(Templates, TagsMatchAndPartialsExist) {
  std::set<std::string> names;
  for (const auto& [name, text] : Templates()) names.insert(name);
  ASSERT_TRUE(names.contains("part_head") && names.contains("jobs"));
  for (const auto& [name, text] : Templates())
    EXPECT_THAT(CheckTags(text, names), IsEmpty()) << name;
}

TEST(Templates, ContainNoCodeAndNoPlaceForCode) {
  for (const auto& [name, text] : Templates()) EXPECT_THAT(CheckMarkup(text), IsEmpty()) << name;
}

TEST(Templates, EachIsAPageOrIsUsed) {
  std::set<std::string> used;
  for (const auto& [name, text] : Templates()) used.merge(PartialsIn(text));
  for (const auto& [name, text] : Templates()) {
    EXPECT_TRUE(text.starts_with("{{> part_head}}") || used.contains(name))
        << name << " is neither a page nor a partial of one";
  }
}

// The renderer looks partials up like members of documents. A partial with the name of a member
// would show the member as a template.
TEST(Templates, PartialsHaveNamesThatNoDocumentHas) {
  for (const auto& [name, text] : Templates()) {
    for (const std::string& partial : PartialsIn(text))
      EXPECT_TRUE(partial.starts_with("part_")) << name << " uses " << partial;
  }
}

TEST(BuiltPages, HaveTheHashesOfTheirSources) {
  std::set<std::string> listed;
  for (const std::string& line : Lines(TextOf("dist/SHA256SUMS"))) {
    const std::pair<std::string, std::string> row = absl::StrSplit(line, "  ");
    EXPECT_EQ(Sha256Hex(TextOf(row.second)), row.first)
        << row.second << " changed after dist/ was built. Run ./dev pages";
    listed.insert(row.second);
  }
  std::set<std::string> files = {"build.mjs", "package.json", "package-lock.json", "tsconfig.json"};
  files.merge(FilesIn("src"));
  files.merge(FilesIn("dist"));
  files.erase("dist/SHA256SUMS");
  EXPECT_EQ(listed, files) << "Run ./dev pages";
}

TEST(BuiltPages, AreSmallTogether) {
  constexpr size_t kMost = 150 * 1024;  // compressed
  size_t bytes = 0;
  for (const char* folder : {"dist", "templates"}) {
    for (const std::string& file : FilesIn(folder)) bytes += test::Gzip(TextOf(file)).size();
  }
  EXPECT_LE(bytes, kMost);
  EXPECT_GE(bytes, 10'000u) << "files are missing";
}

// A host name of a package registry in the lock file would bind builds to this registry.
TEST(BuiltPages, LockFileNamesNoRegistry) {
  EXPECT_EQ(TextOf("package-lock.json").find("\"resolved\""), std::string::npos);
}

}  // namespace
}  // namespace dl::web
