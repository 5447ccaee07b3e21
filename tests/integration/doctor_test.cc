// dl-submit doctor finds each possible fault and reports what to do.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "base/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/daemons/folder_fence.h"
#include "security/certificates.h"
#include "tests/integration/bounds.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/support/damage.h"
#include "tests/support/temp_folder.h"

namespace dl::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class DoctorTest : public testing::Test {
 protected:
  Finished Doctor(std::vector<std::string> more = {}, const std::vector<std::string>& place = {}) {
    more.insert(more.begin(), {"doctor", "--json", "--data-dir", data_dir_});
    return DlSubmit(more, kTimeout, place);
  }
  static Json CheckOf(const Finished& finished, const std::string& check) {
    for (const Json& line : finished.lines) {
      if (line.value("check", "") == check) return line;
    }
    return Json::object();
  }
  static void Expect(const Finished& finished, const std::string& check, const std::string& state,
                     const std::string& words) {
    const Json found = CheckOf(finished, check);
    EXPECT_EQ(found.value("state", ""), state) << check << ": " << finished.text;
    EXPECT_THAT(found.value("message", ""), HasSubstr(words));
    EXPECT_EQ(found.value("remedy", "").empty(), state == "ok") << found.dump();
    EXPECT_EQ(finished.exit_code, state == "failed" ? 1 : 0) << finished.text;
  }

  const TempFolder folder_;
  const std::string data_dir_ = folder_ / "D";
};

// This machine cannot see the lock, as on a file system that does not propagate locks.
TEST_F(DoctorTest, InvisibleLockOfRemoteMasterIsAnError) {
  std::filesystem::create_directories(data_dir_);
  const auto other = launch::FolderFence::Take(
      {.data_dir = data_dir_, .host = "node9", .on_lost = [](const Status&) {}});
  ASSERT_TRUE(other.ok()) << other.status();
  Expect(Doctor(), "lock", "failed", "a master on node9 has " + data_dir_);
}

class LockBetweenMachines : public DoctorTest {
 protected:
  // The check "lock" of a machine on which `script` runs the command line $line.
  Json LockOn(const std::string& script) {
    std::filesystem::create_directories(data_dir_);
    const std::string ssh = folder_.Write("ssh", "for line; do :; done\n" + script);
    const Finished finished = Doctor({"--hosts", folder_.Write("hosts", "node1\n"), "--program",
                                      Binary("dl-submit"), "--ssh", "/bin/sh " + ssh});
    for (const Json& line : finished.lines) {
      if (line.value("host", "") == "node1" && line.value("check", "") == "lock") return line;
    }
    ADD_FAILURE() << finished.text << finished.errors;
    return Json::object();
  }
  void ExpectLock(const std::string& script, const std::string& state, const std::string& words) {
    const Json lock = LockOn(script);
    EXPECT_EQ(lock.value("state", ""), state) << lock.dump();
    EXPECT_THAT(lock.value("message", ""), HasSubstr(words));
    EXPECT_TRUE(std::filesystem::is_empty(data_dir_)) << "the probe is left";
  }
};

TEST_F(LockBetweenMachines, VisibleLockIsFine) {
  ExpectLock("exec /bin/sh -c \"$line\"\n", "ok", "is visible here");
}

// A copy of the folder shows the files and no lock, as such a file system does.
TEST_F(LockBetweenMachines, InvisibleLockIsAFailure) {
  const std::string copy = folder_ / "copy";
  ExpectLock("cp -r " + data_dir_ + " " + copy + "\nexec /bin/sh -c \"$(echo \"$line\" | sed 's," +
                 data_dir_ + "," + copy + ",')\"\n",
             "failed", "is not visible here");
}

TEST_F(LockBetweenMachines, FolderThatIsNotSharedNeedsNoLock) {
  ExpectLock("exec /bin/sh -c \"$(echo \"$line\" | sed 's," + data_dir_ + "," + folder_.path() +
                 "/none,')\"\n",
             "ok", "no lock is needed");
}

TEST_F(DoctorTest, MachineWithoutClusterIsOk) {
  const Finished finished = Doctor();
  Expect(finished, "program", "ok", "protocol");
  Expect(finished, "processor", "ok", "core");
  Expect(finished, "data folder", "ok", "can be created");
  EXPECT_THAT(DlSubmit({"doctor", "--data-dir", data_dir_}).text, HasSubstr("✓ processor"));
  EXPECT_EQ(DlSubmit({"doctor", "--ssh", "x"}).exit_code, 2) << "it would do nothing";
}

TEST_F(DoctorTest, LowLimitOfOpenFilesIsReported) {
  const Finished few = Doctor({}, {"/bin/sh", "-c", "ulimit -n 500; exec \"$0\" \"$@\""});
  Expect(few, "open files", "warning", "500 for each process");
}

TEST_F(DoctorTest, FullDiskIsReported) {
  const SmallDisk disk(64 << 20);
  if (!disk.refused().empty()) GTEST_SKIP() << disk.refused();
  const Finished full = DlSubmit({"doctor", "--json", "--data-dir", disk.path()}, kTimeout);
  Expect(full, "disk", "failed", "a master needs more free space");
}

TEST_F(DoctorTest, KeysAndTokensAreChecked) {
  const Finished made = DlSubmit({"cluster", "init", "--data-dir", data_dir_, "--name", "node0"});
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  Expect(Doctor(), "keys", "ok", "for node0, localhost");
  ASSERT_EQ(chmod((data_dir_ + "/token").c_str(), 0644), 0);
  Expect(Doctor(), "token", "failed", "other users can read");
  ASSERT_EQ(chmod((data_dir_ + "/token").c_str(), 0600), 0);

  const security::KeyFiles files = security::KeyFilesIn(data_dir_);
  auto child = Spawner::Real().Start(
      {.argv = {"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3", "-subj",
                "/CN=node0", "-addext", "subjectAltName=DNS:node0", "-keyout", files.key, "-out",
                files.certificate},
       .err = ChildOutput::Discard()});
  ASSERT_TRUE(child.ok()) << child.status();
  ASSERT_TRUE((*child)->Wait(kTimeout).ok());
  Expect(Doctor(), "keys", "warning", "for node0, ");
  ASSERT_TRUE(AtomicWriteFile(files.certificate, "no certificate").ok());
  EXPECT_EQ(CheckOf(Doctor(), "keys").value("state", ""), "failed");
}

TEST_F(DoctorTest, MasterClockAndExecutorsAreChecked) {
  StandingCluster cluster(folder_, data_dir_);
  cluster.StartMaster();
  const Finished alone = Doctor();
  Expect(alone, "master", "ok", "lets us in");
  Expect(alone, "data folder", "ok", "in use by process");
  Expect(alone, "clock", "ok", "ms");
  Expect(alone, "executors", "warning", "no executor is registered");
  cluster.StartExecutor();
  cluster.WaitForExecutor(0);
  Expect(Doctor(), "executors", "ok", "1 with 1 slot");

  const std::string library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
  if (access(library.c_str(), F_OK) == 0) {
    const Finished late =
        Doctor({}, {"env", "LD_PRELOAD=" + library, "FAKETIME=+1d", "DONT_FAKE_MONOTONIC=1"});
    Expect(late, "clock", "warning", "behind this machine's");
  }
  const std::string url = "dl://127.0.0.1:" + std::to_string(cluster.port());
  Expect(DlSubmit({"doctor", "--json", "--master", url, "--token-file", data_dir_ + "/token"}),
         "link", "ok", "from the master");
  cluster.KillMaster();
  const Finished gone = DlSubmit({"doctor", "--json", "--master", url});
  Expect(gone, "master", "failed", "nothing listens");
}

}  // namespace
}  // namespace dl::test
