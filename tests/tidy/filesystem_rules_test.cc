#include "tests/tidy/filesystem_rules.h"

#include "gtest/gtest.h"

namespace dl::tidy {
namespace {

size_t Found(const std::string& code) { return CheckFilesystemCalls({"cli/a.cc", code}).size(); }

TEST(FilesystemCalls, CallsThatThrowAreSeen) {
  for (const char* code :
       {"x = std::filesystem::temp_directory_path();", "fs::exists(path)",
        "fs::remove_all(folder(a, b))", "std::filesystem::current_path().string()",
        "for (const auto& e : std::filesystem::directory_iterator(folder, error)) {",
        "for (fs::directory_iterator it(folder), end; it != end; ++it) {",
        "std::filesystem::rename(a,\n  b);"}) {
    EXPECT_EQ(Found(code), 1u) << code;
  }
  EXPECT_EQ(CheckFilesystemCalls({"cli/a.cc", "\n\nfs::exists(p)"})[0].line, 3);
}

TEST(FilesystemCalls, CallsWithAnErrorCodePass) {
  for (const char* code :
       {"fs::exists(path, error)", "std::filesystem::remove(a + \", b\", ignored);",
        "for (fs::directory_iterator it(folder, error), end; it != end; it.increment(error)) {",
        "std::filesystem::rename(a, b,\n  error);", "std::filesystem::path folder(name);",
        "fs::exists(kind)", "// fs::exists(path)", "entry.type == fs::file_type::regular",
        "StatusOr<std::vector<fs::path>> status(a);"}) {
    EXPECT_EQ(Found(code), 0u) << code;
  }
  EXPECT_EQ(CheckFilesystemCalls({"tests/unit/a.cc", "fs::exists(path)"}).size(), 0u);
}

}  // namespace
}  // namespace dl::tidy
