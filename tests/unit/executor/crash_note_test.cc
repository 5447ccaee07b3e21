// A process that dies in the middle of a unit leaves a note. The next process reads it.
#include "executor/crash_note.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "base/files.h"
#include "base/thread.h"
#include "tests/support/damage.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::executor {
namespace {

const UnitId kTrain{"lenet5-1", UnitKind::kTrain, 12, 3};
const UnitId kEvaluate{"mlp-22", UnitKind::kEvaluate, 7, 0};
const std::string kSpec(64, 'a'), kOtherSpec(64, 'b');

rpc::Lease LeaseOf(const UnitId& unit, const std::string& spec) {
  return {.unit = unit, .lease = 5, .spec_sha256 = spec, .ticket = UINT64_MAX};
}
rpc::CrashedUnit Crashed(const UnitId& unit, const std::string& spec, const std::string& signal) {
  return {.unit = unit, .spec_sha256 = spec, .signal = signal, .lease = 5, .ticket = UINT64_MAX};
}

class CrashNoteTest : public testing::Test {
 protected:
  std::vector<rpc::CrashedUnit> Left() {
    auto note = CrashNote::Open(path_);
    EXPECT_TRUE(note.ok()) << note.status();
    return (*note)->left();
  }
  // Runs in a child process. Three slots begin a unit and one of them ends it. Then `end` runs in a
  // thread that belongs to no slot.
  void Compute(void (*end)()) {
    auto note = CrashNote::Open(path_);
    if (!note.ok()) std::exit(9);
    (*note)->Begin(0, LeaseOf(kTrain, kSpec));
    (*note)->Begin(1, LeaseOf({"done-1", UnitKind::kTrain, 1, 1}, kSpec));
    (*note)->Begin(2, LeaseOf(kEvaluate, kOtherSpec));
    (*note)->End(1);
    Thread("of none", end).Join();
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.path() + "/crash-note";
};

TEST_F(CrashNoteTest, FatalSignalRecordsRunningUnits) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    static int fatal;
    fatal = signal;
    EXPECT_EXIT(Compute([] { std::raise(fatal); }), testing::KilledBySignal(signal), "");
    const std::string name = std::string("SIG") + sigabbrev_np(signal);
    EXPECT_EQ(Left(), (std::vector<rpc::CrashedUnit>{Crashed(kTrain, kSpec, name),
                                                     Crashed(kEvaluate, kOtherSpec, name)}));
    EXPECT_TRUE(Left().empty()) << "told once";
  }
}

TEST_F(CrashNoteTest, SignalOfSlotThreadRecordsItsUnit) {
  const auto crash = [this] {
    auto note = CrashNote::Open(path_);
    if (!note.ok()) std::exit(9);
    (*note)->Begin(0, LeaseOf(kTrain, kSpec));
    Thread("slot", [&] {
      (*note)->Begin(1, LeaseOf(kEvaluate, kOtherSpec));
      std::abort();
    }).Join();
  };
  EXPECT_EXIT(crash(), testing::KilledBySignal(SIGABRT), "");
  EXPECT_EQ(Left(), (std::vector<rpc::CrashedUnit>{Crashed(kEvaluate, kOtherSpec, "SIGABRT")}));
}

TEST_F(CrashNoteTest, KillRecordsNoUnit) {
  EXPECT_EXIT(Compute([] { std::raise(SIGKILL); }), testing::KilledBySignal(SIGKILL), "");
  EXPECT_TRUE(Left().empty());
  EXPECT_EXIT(Compute([] { std::_Exit(1); }), testing::ExitedWithCode(1), "");
  EXPECT_TRUE(Left().empty());
}

TEST_F(CrashNoteTest, NoteOfOtherKindIsIgnored) {
  EXPECT_EXIT(Compute([] { std::abort(); }), testing::KilledBySignal(SIGABRT), "");
  test::FlipBit(path_, 0, 4);  // a bit of its magic number
  EXPECT_TRUE(Left().empty());
  DL_ASSERT_OK(AtomicWriteFile(path_, std::string(1000, 'x')));
  EXPECT_TRUE(Left().empty());
}

TEST_F(CrashNoteTest, MissingFolderIsNamed) {
  EXPECT_THAT(CrashNote::Open(folder_.path() + "/none/note").status(),
              test::IsError(absl::StatusCode::kFailedPrecondition, "none"));
}

}  // namespace
}  // namespace dl::executor
