// The --memory flag of an import limits the memory that the kernel measures.
#include "cli/data/import_memory.h"

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

TEST(ImportMemory, FlagOverridesVariable) {
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

// In the format of CIFAR-10.
std::string WriteImages(const test::TempFolder& folder, int records) {
  std::ofstream out(folder / "images.bin", std::ios::binary);
  RandomStream random({.seed = 1, .purpose = RandomPurpose::kForTests});
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

// Returns the peak memory of the process, sampled every 2 ms.
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

TEST(ImportMemory, ProcessStaysWithinLimit) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the kernel's count of a process's memory holds the sanitizer's own too";
#endif
  constexpr int kRecords = 80'000;
  constexpr int64_t kSourceBytes = int64_t{kRecords} * 3073;
  const test::TempFolder folder;
  const std::string images = WriteImages(folder, kRecords);
  // Both processes contain a master, so the difference is due to the rows.
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
