// Flips bits on the disk of a job that was killed during training. Each flip must be found and
// named, and never be trained on. Either the start is refused with a remedy, or the job continues
// from an older state and reaches the same final state.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "base/philox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/exit_codes.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/damage.h"
#include "tests/support/folder_content.h"

namespace dl::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr int kPlaces = 8;  // flipped one after the other, each in a fresh copy of the folder

std::string AllWarnings(const Finished& finished) {
  std::string text;
  for (const Json& line : finished.lines) {
    if (line.is_object() && line.value("type", "") == "warning")
      text += line.value("message", "") + "\n";
  }
  return text;
}

class FlippedBitTest : public testing::Test {
 protected:
  // A `run` that was killed after its third epoch of ten, so it has three checkpoints.
  static void SetUpTestSuite() {
    suite_ = new TempFolder;
    job::JobSpec spec = MakeSample(*suite_, {.job = SampleJob::kMlpAverage, .epochs = 10});
    spec.training.lease_seconds = 60;  // so a short pause of the machine causes no warning
    job_ = WriteJob(*suite_, "job", spec);
    expected_ = RunReference(job_).value("state_sha256", "");
    ASSERT_EQ(expected_.size(), 64u);
    {
      // After the third epoch, before the fourth, every computation hangs. The process is not
      // stopped, because it might then stop between a checkpoint's chunks and its record.
      const ScopedFailPoints armed("executor.compute=hang@90+");
      ForegroundRun run(*suite_, {"run", "--master", "local[2]", "--data-dir", *suite_ / "killed",
                                  "--json", job_});
      run.ReadUntilCheckpoints(3);
      run.Kill();
    }
    // Lists the acknowledged checkpoints. Chunks of a checkpoint without a record do not count.
    fs::copy(*suite_ / "killed", *suite_ / "asked", fs::copy_options::recursive);
    const Finished listed =
        DlSubmit({"checkpoints", "--data-dir", *suite_ / "asked", "--json", "mlp-1"});
    checkpoints_.clear();
    for (const Json& item : listed.lines) checkpoints_.push_back(item.value("round", 0));
    ASSERT_GE(checkpoints_.size(), 3u) << listed.text << listed.errors;
  }
  static void TearDownTestSuite() { delete std::exchange(suite_, nullptr); }

  // Returns a copy of the folder as the kill left it.
  std::string Restored(int place = 0) {
    const std::string data = folder_ / ("data-" + std::to_string(place));
    fs::remove_all(data);
    fs::copy(*suite_ / "killed", data, fs::copy_options::recursive);
    return data;
  }
  std::string Flip(const std::string& file) { return Flip(file, 0, fs::file_size(file)); }
  std::string Flip(const std::string& file, int64_t begin, int64_t end) {
    const int64_t byte = begin + static_cast<int64_t>(random_.Bounded(end - begin));
    const int bit = static_cast<int>(random_.Bounded(8));
    FlipBit(file, byte, bit);
    return file + " byte " + std::to_string(byte) + " bit " + std::to_string(bit);
  }
  // Returns the files of a folder whose names begin with `name`.
  static std::vector<std::string> FilesWith(const std::string& name, const std::string& in) {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(in)) {
      if (entry.path().filename().string().starts_with(name)) found.push_back(entry.path());
    }
    return found;
  }
  // Returns the table files of the bulk database that contain `text`, sorted by path: later ones
  // are newer.
  static std::vector<std::string> TablesWith(const std::string& text, const std::string& data) {
    std::vector<std::string> found;
    for (const std::string& file : FilesEndingIn(data + "/bulk/db", ".sst")) {
      std::ifstream in(file, std::ios::binary);
      const std::string content{std::istreambuf_iterator<char>(in), {}};
      if (content.find(text) != std::string::npos) found.push_back(file);
    }
    return found;
  }
  // Returns the table that contains the chunks of a checkpoint, found by their key
  // (docs/formats.md).
  static std::string TableOf(int round, const std::string& data) {
    const std::string number =
        std::string(6, '\0') + static_cast<char>(round >> 8) + static_cast<char>(round & 255);
    const std::vector<std::string> tables = TablesWith(std::string("cmlp-1") + '\0' + number, data);
    EXPECT_EQ(tables.size(), 1u) << "round " << round;
    return tables.empty() ? "" : tables.front();
  }
  // Returns the arguments of a command that continues the job in one process. `attach` also shows
  // earlier events.
  static std::vector<std::string> Words(const std::string& command, const std::string& data) {
    return {command, "--master", "local[2]", "--data-dir", data, "--json", "mlp-1"};
  }
  static Finished GoOn(const std::string& data) { return DlSubmit(Words("attach", data)); }
  // Continues the job in all folders at the same time, because most of the time they wait.
  std::vector<Finished> GoOn(const std::vector<std::string>& folders) {
    std::vector<std::unique_ptr<ForegroundRun>> runs;
    for (const std::string& data : folders)
      runs.push_back(std::make_unique<ForegroundRun>(folder_, Words("attach", data)));
    std::vector<Finished> finished;
    for (auto& run : runs) finished.push_back(run->Finish());
    return finished;
  }
  // Expects that the folder is not opened, and that the error says where the damage is and what to
  // do.
  void ExpectRefusal(const Finished& refused, const std::string& where) {
    EXPECT_EQ(refused.exit_code, kBadData) << refused.text << refused.errors;
    EXPECT_THAT(refused.errors,
                AllOf(HasSubstr("error: "), HasSubstr("at: " + where), HasSubstr("try: ")));
  }
  void ExpectRightResult(const Finished& finished) {
    EXPECT_EQ(finished.exit_code, 0) << finished.text << finished.errors;
    EXPECT_EQ(finished.result().value("state_sha256", ""), expected_);
  }

  static inline TempFolder* suite_ = nullptr;
  static inline std::string job_, expected_;
  static inline std::vector<int> checkpoints_;  // rounds
  TempFolder folder_;
  RandomStream random_{{.seed = 3, .purpose = RandomPurpose::kForTests}};
};

TEST_F(FlippedBitTest, DamagedCheckpointIsReplacedByOlderOne) {
  const Finished undamaged = GoOn(Restored());
  ExpectRightResult(undamaged);
  EXPECT_EQ(AllWarnings(undamaged), "");
  EXPECT_THAT(undamaged.text, HasSubstr("RECOVERING")) << "the kill came too late";
  std::vector<std::string> folders, newest, flipped;
  for (int place = 0; place < kPlaces; ++place) {
    folders.push_back(Restored(place));
    newest.push_back(TableOf(checkpoints_.back(), folders.back()));
    flipped.push_back(Flip(newest.back()));
  }
  const std::vector<Finished> finished = GoOn(folders);
  for (int place = 0; place < kPlaces; ++place) {
    SCOPED_TRACE(flipped[place]);
    if (finished[place].exit_code != 0) {
      ExpectRefusal(finished[place], folders[place] + "/bulk");
      EXPECT_THAT(finished[place].errors, HasSubstr(newest[place]));
      continue;
    }
    ExpectRightResult(finished[place]);
    EXPECT_THAT(AllWarnings(finished[place]),
                AllOf(HasSubstr("checkpoint mlp-1@"), HasSubstr("cannot be used"),
                      HasSubstr("damaged"), HasSubstr(newest[place])));
  }
}

TEST_F(FlippedBitTest, JobWithoutGoodCheckpointRestarts) {
  const std::string data = Restored();
  std::vector<std::string> tables;
  for (const int round : checkpoints_) tables.push_back(TableOf(round, data));
  for (const std::string& table : tables) Flip(table, 0, 4096);  // in the chunk, not in the index
  const Finished finished = GoOn(data);
  ExpectRightResult(finished);
  for (const std::string& table : tables) EXPECT_THAT(AllWarnings(finished), HasSubstr(table));
}

TEST_F(FlippedBitTest, DamagedBlockFailsUnitUntilImported) {
  std::vector<std::string> folders, tables, flipped;
  for (int place = 0; place < kPlaces; ++place) {
    folders.push_back(Restored(place));
    tables.push_back(TablesWith("PVBK", folders.back())[place % 2]);  // training or test data
    flipped.push_back(Flip(tables.back()));
  }
  const std::vector<Finished> finished = GoOn(folders);
  int replaced = 0;
  for (int place = 0; place < kPlaces; ++place) {
    SCOPED_TRACE(flipped[place]);
    if (finished[place].exit_code == kBadData) {
      ExpectRefusal(finished[place], folders[place] + "/bulk");
      EXPECT_THAT(finished[place].errors, HasSubstr(tables[place]));
      continue;
    }
    EXPECT_EQ(finished[place].exit_code, kFailed) << finished[place].text;
    const Json error = finished[place].result().value("error", Json::object());
    EXPECT_EQ(error.value("code", ""), "data_loss") << finished[place].result().dump();
    EXPECT_THAT(
        error.value("message", ""),
        AllOf(HasSubstr("stored block "), HasSubstr("is damaged"), HasSubstr(tables[place])));
    EXPECT_THAT(error.value("remedy", ""), HasSubstr("Import the dataset again"));

    // Tries the remedy in two folders: the import replaces the damaged block, and the job
    // continues.
    if (replaced++ >= 2) continue;
    const Finished imported =
        DlSubmit({"import", "--master", "local", "--data-dir", folders[place], "--json", job_});
    EXPECT_EQ(imported.exit_code, 0) << imported.errors;
    ExpectRightResult(DlSubmit(Words("resume", folders[place])));
  }
  EXPECT_GT(replaced, 0);
}

TEST_F(FlippedBitTest, DamagedLogOfMetaStoreRefusesStart) {
  for (int place = 0; place < kPlaces; ++place) {
    const std::string data = Restored();
    const std::string log = FilesEndingIn(data + "/meta/db", ".log").back();
    // Not at its end: a batch may have been incomplete at the kill, and unacknowledged data may be
    // lost.
    SCOPED_TRACE(Flip(log, 0, fs::file_size(log) * 9 / 10));
    const Finished refused = GoOn(data);
    ExpectRefusal(refused, data + "/meta");
    EXPECT_THAT(refused.errors, AllOf(HasSubstr("acknowledged batches are missing"),
                                      HasSubstr("dl-submit master --accept-loss")));
    if (place == 0) ExpectRefusal(GoOn(data), data + "/meta");  // a refusal changes nothing
  }
}

TEST_F(FlippedBitTest, AcceptLossRecomputesLostCommits) {
  const std::string data = Restored();
  const std::string log = FilesEndingIn(data + "/meta/db", ".log").back();
  const int64_t size = fs::file_size(log);
  // A place after the submission, before the last commit, in acknowledged data.
  SCOPED_TRACE(Flip(log, size * 3 / 4, size * 9 / 10));
  StandingCluster cluster(folder_, data);
  EXPECT_EQ(cluster.TryToStartMaster().exit_code, kBadData);
  const Finished started = cluster.TryToStartMaster({"--accept-loss"});
  ASSERT_EQ(started.exit_code, -1) << started.errors;
  const int64_t left = cluster.Job("mlp-1").value("rounds", int64_t{-1});
  EXPECT_GT(left, 0);
  EXPECT_LT(left, 70);
  cluster.StartExecutor();
  EXPECT_EQ(cluster.Wait("mlp-1").value("state_sha256", ""), expected_);
}

// No database is opened with a damaged list of files. The bulk database writes no log.
TEST_F(FlippedBitTest, DamagedDatabaseFilesRefuseStart) {
  for (const std::string& log : FilesEndingIn(Restored() + "/bulk/db", ".log"))
    EXPECT_EQ(fs::file_size(log), 0u);
  for (const char* database : {"/meta", "/bulk"}) {
    for (const char* name : {"MANIFEST", "CURRENT", "FORMAT"}) {
      const std::string data = Restored(), store = data + database;
      const std::vector<std::string> files = FilesWith(name, store + "/db");
      SCOPED_TRACE(Flip(files.empty() ? store + "/" + name : files.front()));
      const Finished refused = GoOn(data);
      // With a flipped bit, FORMAT may name another kind or a newer version.
      EXPECT_NE(refused.exit_code, 0) << refused.text;
      EXPECT_THAT(refused.errors, AllOf(HasSubstr("at: " + store), HasSubstr("try: ")));
    }
  }
}

// With --accept-loss, everything readable of the bulk database is kept: a checkpoint, or at least
// the data.
TEST_F(FlippedBitTest, AcceptLossKeepsReadableBulkFiles) {
  for (const bool list_of_files : {true, false}) {
    const std::string data = Restored();
    const std::string file = list_of_files ? FilesWith("MANIFEST", data + "/bulk/db").front()
                                           : TableOf(checkpoints_.front(), data);
    const int64_t size = fs::file_size(file);
    // RocksDB recognizes a table by its last bytes.
    SCOPED_TRACE(list_of_files ? Flip(file) : Flip(file, size - 8, size));
    StandingCluster cluster(folder_, data);
    const Finished refused = cluster.TryToStartMaster();
    EXPECT_EQ(refused.exit_code, kBadData);
    EXPECT_THAT(refused.errors, AllOf(HasSubstr("at: " + data + "/bulk"), HasSubstr("--accept-")));
    const Finished started = cluster.TryToStartMaster({"--accept-loss"});
    ASSERT_EQ(started.exit_code, -1) << started.errors;
    EXPECT_GE(cluster.Job("mlp-1").value("rounds", int64_t{-1}), checkpoints_.back())
        << "commits are in the other store";
    cluster.StartExecutor();
    EXPECT_EQ(cluster.Wait("mlp-1").value("state_sha256", ""), expected_);
    cluster.KillMaster();
    cluster.StartMaster();  // without --accept-loss: nothing is damaged any more
  }
}

TEST_F(FlippedBitTest, DamagedCachedBlockIsFetchedAgain) {
  StandingCluster cluster(folder_);
  cluster.StartMaster();
  const std::string id = cluster.Submit(WriteJob(
      folder_, "long", MakeSample(folder_, {.job = SampleJob::kMlpAverage, .epochs = 60})));
  const std::string cache = folder_ / "cache";
  for (int place = 0; place < 3; ++place) {
    {
      const ScopedFailPoints armed("executor.compute=stop@30");  // both data sets have been read by
                                                                 // then
      cluster.StartExecutor(cache);
    }
    cluster.WaitForStop(0);
    cluster.KillExecutors();
    if (place > 0) {
      EXPECT_THAT(cluster.ExecutorLog(),
                  AllOf(HasSubstr("the block cache: block "), HasSubstr("is damaged")));
    }
    for (const std::string& table : FilesEndingIn(cache + "/blocks", "")) Flip(table, 0, 10'000);
  }
  ASSERT_LT(cluster.Job(id).value("rounds", int64_t{0}), 60 * 7) << "the faults came too late";
  cluster.StartExecutor(cache);
  EXPECT_EQ(cluster.Wait(id).value("state_sha256", ""),
            RunReference(folder_ / "long.json").value("state_sha256", ""));
}

}  // namespace
}  // namespace dl::test
