// Runs whole jobs and the references that they are compared with.
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"

namespace dl::test {
namespace {

constexpr char kAnotherSeed[] = "77";

}  // namespace

Json RunJob(const std::string& master, const std::string& job_file,
            const std::vector<std::string>& more) {
  const TempFolder folder;
  std::vector<std::string> words = {"run",           "--master", master,  "--data-dir",
                                    folder / "data", "--json",   job_file};
  words.insert(words.end(), more.begin(), more.end());
  const Finished finished = DlSubmit(words);
  EXPECT_EQ(finished.exit_code, 0) << finished.text << finished.errors;
  return finished.result();
}

Json RunReference(const std::string& job_file, const std::string& data_dir) {
  const TempFolder folder;
  // Runs at the same time, because both processes mostly wait for the disk.
  ForegroundRun twin(folder, {"run", "--master", "local[1]", "--data-dir", folder / "twin",
                              "--json", "--seed", kAnotherSeed, job_file});
  const Finished finished =
      DlSubmit({"run", "--master", "local[2]", "--data-dir",
                data_dir.empty() ? folder / "data" : data_dir, "--json", job_file});
  EXPECT_EQ(finished.exit_code, 0) << finished.text << finished.errors;
  Json reference = finished.result();
  const std::string hash = reference.value("state_sha256", "");
  const Finished other = twin.Finish();
  EXPECT_EQ(hash.size(), 64u) << reference.dump();
  EXPECT_EQ(other.result().value("state_sha256", "").size(), 64u) << other.text << other.errors;
  EXPECT_NE(other.result().value("state_sha256", ""), hash) << "the seed is not in the hash";
  return reference;
}

void ExpectAnotherSeedDiffers(const std::string& job_file, const std::string& state_sha256) {
  const Json other = RunJob("local[2]", job_file, {"--seed", kAnotherSeed});
  EXPECT_EQ(other.value("state_sha256", "").size(), 64u) << other.dump();
  EXPECT_NE(other.value("state_sha256", ""), state_sha256) << "the seed is not in the hash";
}

}  // namespace dl::test
