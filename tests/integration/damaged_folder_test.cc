// Damages every file and folder of a master's data folder in every way that a disk or a user may.
// The next start either has everything that was acknowledged, or reports the damage and changes
// nothing. With --accept-loss it opens with what is left, reports what is lost, and keeps the files
// that it replaced.
#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/philox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/clusters/cluster.h"
#include "launch/pause.h"
#include "rpc/messages.h"
#include "tests/integration/bounds.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/exit_codes.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/damage.h"
#include "tests/support/folder_content.h"
#include "tests/support/status_matchers.h"

namespace dl::test {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;

enum class Damage { kDeleted, kEmptied, kCut, kFlipped };
std::string ToString(Damage damage) {
  return std::vector<std::string>{"deleted", "emptied", "cut", "flipped"}[static_cast<int>(damage)];
}

// Everything that the master reported to clients: jobs by id, checkpoints by JOB@ROUND, and the
// bytes of their models.
struct DoctorReport {
  std::map<std::string, Json> jobs;
  std::map<std::string, Json> checkpoints;
  std::map<std::string, StatusOr<std::string>> content;
};

Json Facts(const Json& json, const std::vector<std::string>& keys) {
  Json facts = Json::object();
  for (const std::string& key : keys) facts[key] = json.value(key, Json());
  return facts;
}

class DamagedFolderTest : public testing::Test {
 protected:
  // The folder comes from two runs of a master. A job ended in the first run. Another job was in
  // training when the second run was killed. So the folder has tables, logs and several
  // checkpoints.
  static void SetUpTestSuite() {
    suite_ = new TempFolder;
    const auto job = [](const std::string& name, int64_t epochs) {
      return WriteJob(*suite_, name,
                      MakeSample(*suite_, {.job = SampleJob::kMlpAverage, .epochs = epochs}));
    };
    StandingCluster cluster(*suite_);
    cluster.StartMaster();
    cluster.StartExecutor();
    cluster.Wait(cluster.Submit(job("ended", 1)));
    cluster.KillMaster();
    cluster.KillExecutors();
    cluster.StartMaster();
    const std::string live = cluster.Submit(job("live", 20));
    {
      const ScopedFailPoints armed("executor.compute=stop@40");
      cluster.StartExecutor();
    }
    cluster.WaitForStop(0);
    cluster.WaitUntil(
        live, [&](const Json&) { return !cluster.Ask("checkpoints", {live}).lines.empty(); });
    cluster.KillMaster();
    folder_ = cluster.data_dir();
    fs::remove(folder_ + "/meta/BALLAST");  // created again at each start, so not worth copying
    const std::string asked = *suite_ / "asked";
    fs::copy(folder_, asked, fs::copy_options::recursive);
    StandingCluster undamaged(*suite_, asked);
    undamaged.StartMaster();
    told_ = Ask(undamaged.url());
    undamaged.KillMaster();
    ASSERT_EQ(told_.jobs.size(), 2u);
    ASSERT_GE(told_.checkpoints.size(), 2u);
    for (const auto& [name, bytes] : told_.content) DL_ASSERT_OK(bytes);
  }
  static void TearDownTestSuite() { delete std::exchange(suite_, nullptr); }

  static bool IsAtRest(const Json& job) {
    return job.value("state_sha256", "") != "" || job.value("state", "") == "QUEUED" ||
           job.value("reason", "") == "storage";
  }
  static DoctorReport Ask(const std::string& url) {
    DoctorReport told;
    auto target = launch::ParseTarget(url);
    auto cluster = launch::Cluster::Open({.target = *target});
    if (!cluster.ok()) {
      ADD_FAILURE() << DescribeError(cluster.status());
      return told;
    }
    rpc::ClientService& client = (*cluster)->client();
    const auto query = [&](rpc::QueryKind what, const std::string& job) {
      auto reply = client.Query({.what = what, .job = job}, kLongCall);
      // A query of a job whose records were lost reports this loss.
      EXPECT_TRUE(reply.ok() || absl::IsDataLoss(reply.status())) << reply.status();
      return reply.ok() ? Json::parse(reply->json) : Json::array();
    };
    // A running job creates its first state and then waits for executors, which never come.
    const Instant patience = Clock::Real().Now() + kLongCall;
    Json jobs = query(rpc::QueryKind::kJobs, "");
    while (!std::all_of(jobs.begin(), jobs.end(), IsAtRest) && Clock::Real().Now() < patience) {
      launch::Pause(std::chrono::milliseconds(10));
      jobs = query(rpc::QueryKind::kJobs, "");
    }
    for (const Json& job : jobs) {
      const std::string id = job.value("job", "");
      const bool ended = job.value("state", "") == "SUCCEEDED";
      told.jobs[id] = Facts(job, {"name", "rounds", "state_sha256", "submitted_unix_ms"});
      told.jobs[id]["ended"] = ended;
      for (const Json& checkpoint : query(rpc::QueryKind::kCheckpoints, id)) {
        const std::string name = checkpoint.value("checkpoint", "");
        told.checkpoints[name] = Facts(checkpoint, {"round", "state_sha256", "manifest", "pinned"});
        auto chunk =
            client.FetchCheckpoint({.sha256 = name + "/model", .length = 1 << 20}, kLongCall);
        told.content.emplace(name, chunk.ok() ? StatusOr<std::string>(chunk->bytes)
                                              : StatusOr<std::string>(chunk.status()));
      }
    }
    return told;
  }

  // Returns the files below `part` that a starting master reads or locks, relative to the folder.
  static std::vector<std::string> FilesBelow(const std::string& part) {
    std::vector<std::string> files;
    for (const std::string& path : FilesEndingIn(folder_ + "/" + part, "")) {
      if (!fs::path(path).filename().string().starts_with("LOG"))  // RocksDB's own log
        files.push_back(fs::relative(path, folder_));
    }
    return files;
  }
  // Leaves out `holder` and `fence`, which the process that opens the folder writes before anything
  // else.
  static std::map<std::string, std::string> ContentOf(const std::string& data) {
    std::map<std::string, std::string> content;
    for (auto& [path, bytes] : Snapshot(data)) {
      const std::string name = fs::relative(path, data);
      if (name != "holder" && name != "fence") content[name] = std::move(bytes);
    }
    return content;
  }
  static std::vector<std::string> Names(const std::map<std::string, std::string>& content) {
    std::vector<std::string> names;
    for (const auto& [name, bytes] : content) names.push_back(name);
    return names;
  }
  static void ExpectSameContent(const std::map<std::string, std::string>& before,
                                const std::string& data) {
    const auto after = ContentOf(data);
    EXPECT_EQ(Names(after), Names(before)) << "a refusal leaves the folder as it was";
    for (const auto& [name, bytes] : before) {
      const auto found = after.find(name);
      if (found == after.end()) continue;
      EXPECT_TRUE(found->second == bytes) << name << " was changed";
    }
  }

  std::string Damaged(const std::string& place, Damage damage) {
    const std::string data = own_ / "data", path = data + "/" + place;
    fs::remove_all(data);
    fs::copy(folder_, data, fs::copy_options::recursive);
    const bool folder = fs::is_directory(path);
    switch (damage) {
      case Damage::kDeleted:
        fs::remove_all(path);
        break;
      case Damage::kEmptied:
        if (!folder) fs::resize_file(path, 0);
        if (folder) {
          fs::remove_all(path);
          fs::create_directory(path);
        }
        break;
      case Damage::kCut:
        fs::resize_file(path, fs::file_size(path) * 2 / 3);
        break;
      case Damage::kFlipped:
        FlipBit(path, static_cast<int64_t>(random_.Bounded(fs::file_size(path))),
                static_cast<int>(random_.Bounded(8)));
        break;
    }
    return data;
  }

  // Expects that all reports are the same as before. Content that cannot be read must be reported
  // as such.
  static void ExpectNothingLost(const DoctorReport& told) {
    EXPECT_EQ(told.jobs, told_.jobs);
    EXPECT_EQ(told.checkpoints, told_.checkpoints);
    for (const auto& [name, bytes] : told.content) {
      if (bytes.ok()) {
        EXPECT_TRUE(*bytes == *told_.content.at(name)) << name << " has other bytes";
      } else {
        EXPECT_TRUE(absl::IsDataLoss(bytes.status())) << name << ": " << bytes.status();
      }
    }
  }
  static void ExpectRefusal(const Finished& refused, const std::string& data) {
    EXPECT_THAT(refused.exit_code, AnyOf(Eq(kBadData), Eq(kOtherVersion))) << refused.errors;
    EXPECT_THAT(refused.errors, HasSubstr("error: "));
    EXPECT_THAT(refused.errors, HasSubstr("at: " + data));
    EXPECT_THAT(refused.errors, HasSubstr("try: "));
  }
  // Expects that each table and log of the damaged store still exists under some name.
  static void ExpectSetAside(const std::map<std::string, std::string>& before,
                             const std::string& data, const std::string& store) {
    std::multiset<std::string> after;
    for (const auto& [name, bytes] : ContentOf(data)) after.insert(bytes);
    for (const auto& [name, bytes] : before) {
      const bool kept =
          name.starts_with(store) && (name.ends_with(".sst") || name.ends_with(".log"));
      if (!kept || bytes.empty()) continue;
      EXPECT_TRUE(after.contains(bytes)) << name << " is gone";
    }
  }

  void Try(const std::string& place, Damage damage) {
    SCOPED_TRACE(place + " " + ToString(damage));
    if (damage == Damage::kCut || damage == Damage::kFlipped) {
      const std::string path = folder_ + "/" + place;
      if (fs::is_directory(path) || fs::file_size(path) == 0) return;
    }
    const std::string data = Damaged(place, damage);
    const auto before = ContentOf(data);
    StandingCluster cluster(own_, data);
    const Finished started = cluster.TryToStartMaster();
    if (started.exit_code == -1) {
      ++opened_;
      ExpectNothingLost(Ask(cluster.url()));
      cluster.KillMaster();
      return;
    }
    ++refused_;
    ExpectRefusal(started, data);
    ExpectSameContent(before, data);
    const Finished accepted = cluster.TryToStartMaster({"--accept-loss"});
    if (accepted.exit_code != -1) {
      ExpectRefusal(accepted, data);
      ExpectSameContent(before, data);
      return;
    }
    ++accepted_;
    const DoctorReport told = Ask(cluster.url());
    cluster.KillMaster();
    for (const auto& [id, job] : told_.jobs) {
      const auto found = told.jobs.find(id);
      if (found != told.jobs.end() && found->second == job) continue;
      EXPECT_THAT(cluster.MasterLog(),
                  AnyOf(HasSubstr(" are lost"), HasSubstr(" is damaged and not kept")))
          << id;
    }
    ExpectSetAside(before, data, place.substr(0, place.find('/')));
    cluster.StartMaster();  // without --accept-loss: nothing is damaged any more
    EXPECT_EQ(Ask(cluster.url()).jobs, told.jobs);
    cluster.KillMaster();
    ExpectSetAside(before, data, place.substr(0, place.find('/')));
  }
  void TryAll(const std::vector<std::string>& places) {
    for (const std::string& place : places) {
      for (const Damage damage :
           {Damage::kDeleted, Damage::kEmptied, Damage::kCut, Damage::kFlipped})
        Try(place, damage);
    }
    RecordProperty("opened", opened_);
    RecordProperty("refused", refused_);
    RecordProperty("accepted", accepted_);
  }

  static inline TempFolder* suite_ = nullptr;
  static inline std::string folder_;
  static inline DoctorReport told_;
  const TempFolder own_;
  RandomStream random_{{.seed = 5, .purpose = RandomPurpose::kForTests}};
  int opened_ = 0, refused_ = 0, accepted_ = 0;
};

TEST_F(DamagedFolderTest, DamageInMetaStoreIsReported) {
  TryAll(FilesBelow("meta"));
  EXPECT_GT(refused_, 4);
  EXPECT_GT(opened_, 4);
  EXPECT_GT(accepted_, 2);
}

TEST_F(DamagedFolderTest, DamageInBulkStoreIsReported) {
  TryAll(FilesBelow("bulk"));
  EXPECT_GT(refused_, 4);
  EXPECT_GT(opened_, 4);
  EXPECT_GT(accepted_, 2);
}

TEST_F(DamagedFolderTest, MissingFolderIsReported) {
  for (const char* place : {"meta", "meta/db", "bulk", "bulk/db", "bulk/staging"}) {
    for (const Damage damage : {Damage::kDeleted, Damage::kEmptied}) Try(place, damage);
  }
  EXPECT_GE(refused_, 8);
}

// A mount of meta/ was forgotten. The files in bulk/ must not change, and once meta/ is back
// everything must exist.
TEST_F(DamagedFolderTest, RestoredMetaStoreGivesAllJobs) {
  const std::string data = own_ / "data", away = own_ / "away";
  fs::copy(folder_, data, fs::copy_options::recursive);
  fs::rename(data + "/meta", away);
  StandingCluster cluster(own_, data);
  for (const auto& words : {std::vector<std::string>{}, {"--accept-loss"}})
    ExpectRefusal(cluster.TryToStartMaster(words), data + "/meta");
  // A command that reads a folder must not take it for a new one either.
  const Finished listed = DlSubmit({"list", "--data-dir", data});
  EXPECT_EQ(listed.exit_code, kBadData) << listed.text << listed.errors;
  EXPECT_FALSE(fs::exists(data + "/meta"));
  fs::rename(away, data + "/meta");
  cluster.StartMaster();
  const DoctorReport told = Ask(cluster.url());
  ExpectNothingLost(told);
  for (const auto& [name, bytes] : told.content) DL_EXPECT_OK(bytes);
}

}  // namespace
}  // namespace dl::test
