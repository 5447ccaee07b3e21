// --memory of an import, as a user says it and as the kernel counts it.
#include "cli/import_memory.h"

#include <fstream>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/philox.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using test::IsError;

TEST(ImportMemory, TheFlagGoesBeforeTheVariable) {
  EXPECT_EQ(*ImportMemory(0, {}), limits::kImportMemoryBytes);
  EXPECT_EQ(*ImportMemory(0, {{"DL_IMPORT_MEMORY", ""}}), limits::kImportMemoryBytes);
  EXPECT_EQ(*ImportMemory(0, {{"DL_IMPORT_MEMORY", "64M"}}), 64 << 20);
  EXPECT_EQ(*ImportMemory(2 << 20, {{"DL_IMPORT_MEMORY", "64M"}}), 2 << 20);
  EXPECT_THAT(ImportMemory(1000, {}), IsError(absl::StatusCode::kInvalidArgument, "--memory"));
  for (const char* bad : {"64", "0", "1000k", "much"}) {
    EXPECT_THAT(ImportMemory(0, {{"DL_IMPORT_MEMORY", bad}}),
                IsError(absl::StatusCode::kInvalidArgument, "environment DL_IMPORT_MEMORY"))
        << bad;
  }
}

// As CIFAR-10 has it.
std::string WriteImages(const test::TempFolder& folder, int records) {
  std::ofstream out(folder / "images.bin", std::ios::binary);
  RandomStream random({.seed = 1, .purpose = RandomPurpose::kTest});
  std::string record(3073, '\0');
  for (int i = 0; i < records; ++i) {
    for (size_t at = 1; at < record.size(); at += 61)
      record[at] = static_cast<char>(random.Bounded(256));
    record[0] = static_cast<char>(i % 10);
    out << record;
  }
  return folder.Write("images.json", absl::StrCat(R"({"format": "cifar10", "paths": [")",
                                                  folder / "images.bin", R"("]})"));
}

// The most that a process had, as far as one who looks all the time sees it.
int64_t PeakOf(ChildProcess& child) {
  int64_t peak = 0;
  while (absl::IsDeadlineExceeded(child.Wait(std::chrono::milliseconds(2)).status())) {
    std::ifstream status(absl::StrCat("/proc/", child.pid(), "/status"));
    std::string word;
    while (status >> word) {
      int64_t kb = 0;
      if (word == "VmHWM:" && status >> kb) peak = std::max(peak, kb << 10);
    }
  }
  const auto ended = child.Wait(std::chrono::seconds(1));
  EXPECT_TRUE(ended.ok() && ended->signal == 0 && ended->code == 0);
  return peak;
}

TEST(ImportMemory, AProcessKeepsToIt) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the kernel's count of a process's memory holds the sanitizer's own too";
#endif
  constexpr int kRecords = 80'000;
  constexpr int64_t kSourceBytes = int64_t{kRecords} * 3073;
  const test::TempFolder folder;
  const std::string images = WriteImages(folder, kRecords);
  // What the rows take is what the two differ by: each has a master in the same process.
  const auto import = [&](const char* memory) {
    const auto child = StartDlSubmit({"import", images, "--normalizer", "standardize", "--json",
                                      "--data-dir", folder / memory, "--memory", memory});
    const int64_t peak = PeakOf(*child);
    const auto line = child->ReadLine(std::chrono::seconds(1));
    return std::pair(peak, line.value_or("none"));
  };
  const auto [large, expected] = import("2G");
  const auto [small, manifest] = import("32M");
  std::cout << "the import of " << (kSourceBytes >> 20) << " MiB takes at most " << (large >> 20)
            << " MiB with --memory 2G, " << (small >> 20) << " with 32M\n";
  EXPECT_EQ(manifest, expected);
  EXPECT_NE(manifest, "none");
  EXPECT_GT(large, kSourceBytes);
  EXPECT_LT(small, large - kSourceBytes + (32 << 20));
}

}  // namespace
}  // namespace dl::cli
