#include "security/audit_log.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/files.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/thread.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/security/hand_clock.h"

namespace dl::security {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::IsError;

// Lowers a limit of this process until the end of the scope.
class LoweredLimit {
 public:
  LoweredLimit(int resource, rlim_t limit) : resource_(resource) {
    EXPECT_EQ(getrlimit(resource_, &before_), 0);
    rlimit lower = before_;
    lower.rlim_cur = limit;
    EXPECT_EQ(setrlimit(resource_, &lower), 0);
  }
  ~LoweredLimit() { EXPECT_EQ(setrlimit(resource_, &before_), 0); }
  LoweredLimit(const LoweredLimit&) = delete;
  LoweredLimit& operator=(const LoweredLimit&) = delete;

 private:
  const int resource_;
  rlimit before_ = {};
};

AuditEntry Submitted(const std::string& subject = "lenet-1") {
  return {.caller = {.owner = "ada", .role = Role::kSubmit, .token = "0123456789abcdef"},
          .address = "192.0.2.7",
          .action = "SubmitJob",
          .subject = subject,
          .result = "ok"};
}
AuditEntry DeniedFrom(const std::string& address) {
  return {.address = address, .action = "Hello", .result = "denied"};
}

class AuditLogTest : public testing::Test {
 protected:
  std::unique_ptr<AuditLog> Open() {
    auto log = AuditLog::Open(path_, clock_);
    EXPECT_THAT(log, test::IsOk());
    return log.ok() ? *std::move(log) : nullptr;
  }
  static std::vector<Json> LinesOf(const std::string& path) {
    std::vector<Json> lines;
    const auto text = ReadFile(path, 1 << 24);
    EXPECT_THAT(text, test::IsOk());
    if (!text.ok()) return lines;
    EXPECT_TRUE(text->empty() || text->back() == '\n');
    const std::vector<std::string> texts = absl::StrSplit(*text, '\n', absl::SkipEmpty());
    for (const std::string& line : texts) {
      const auto json = ParseJson(line, path);
      EXPECT_THAT(json, test::IsOk()) << line;
      if (json.ok()) lines.push_back(*json);
    }
    return lines;
  }
  std::vector<Json> Lines() const { return LinesOf(path_); }
  // Returns -1 if the file does not exist.
  static int64_t BytesOf(const std::string& path) {
    std::error_code error;
    return static_cast<int64_t>(std::filesystem::file_size(path, error));
  }
  int64_t Bytes() const { return BytesOf(path_); }
  static mode_t RightsOf(const std::string& path) {
    struct stat there = {};
    EXPECT_EQ(stat(path.c_str(), &there), 0) << path;
    return there.st_mode & 07777;
  }
  // Creates a sparse file of that many bytes.
  void Fill(int64_t bytes) const {
    (void)std::ofstream(path_);
    std::filesystem::resize_file(path_, bytes);
  }
  // Returns the size of a line that Submitted() causes.
  int64_t BytesOfALine() {
    Open()->Write(Submitted());
    const int64_t bytes = Bytes();
    std::filesystem::remove(path_);
    return bytes;
  }

  // Writes in a new second, because equal calls of the same second are counted in one line.
  void WriteLater(AuditLog& log, const AuditEntry& entry) {
    clock_.Pass(seconds(1));
    log.Write(entry);
  }

  const test::TempFolder folder_;
  const std::string path_ = folder_ / "audit.jsonl";
  const std::string aside_ = path_ + ".1";
  HandClock clock_;
};

TEST_F(AuditLogTest, LineHasCallerActionObjectAndTime) {
  const auto log = Open();
  clock_.Pass(milliseconds(42));
  log->Write(Submitted());
  ASSERT_EQ(Lines().size(), 1u);
  EXPECT_EQ(Lines()[0], Json({{"unix_ms", HandClock::kStartUnixMs + 42},
                              {"owner", "ada"},
                              {"role", "submit"},
                              {"token", "0123456789abcdef"},
                              {"from", "192.0.2.7"},
                              {"what", "SubmitJob"},
                              {"subject", "lenet-1"},
                              {"result", "ok"}}));
}

TEST_F(AuditLogTest, UnknownCallerHasNeitherOwnerNorRoleNorToken) {
  Open()->Write(DeniedFrom("192.0.2.7"));
  ASSERT_EQ(Lines().size(), 1u);
  for (const char* key : {"owner", "role", "token", "subject"})
    EXPECT_FALSE(Lines()[0].contains(key)) << key;
}

// Callers choose these texts.
TEST_F(AuditLogTest, LineBreaksInTextsAreEscaped) {
  const std::string wild = std::string("a\n{\"owner\":\"root\"}\r\"\\\0\x1b\xff", 24);
  AuditEntry entry = Submitted(wild);
  entry.address = entry.action = wild;
  const auto log = Open();
  log->Write(entry);
  log->Write(Submitted(std::string(1 << 20, 'x')));
  const std::vector<Json> lines = Lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["owner"], "ada");
  EXPECT_TRUE(lines[0]["subject"].get<std::string>().starts_with("a\n{\"owner\":\"root\"}"));
}

TEST_F(AuditLogTest, AppendsToExistingFile) {
  Open()->Write(Submitted("first"));
  Open()->Write(Submitted("second"));
  const std::vector<Json> lines = Lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["subject"], "first");
  EXPECT_EQ(lines[1]["subject"], "second");
}

TEST_F(AuditLogTest, OnlyOwnerMayRead) {
  Fill(limits::kMaxAuditBytes);
  ASSERT_EQ(chmod(path_.c_str(), 0644), 0);  // an existing file is restricted, too
  Open()->Write(Submitted());
  EXPECT_EQ(RightsOf(aside_), 0600u);
  EXPECT_EQ(RightsOf(path_), 0600u);
  std::filesystem::remove(path_);
  Open()->Write(Submitted());
  EXPECT_EQ(RightsOf(path_), 0600u);
}

TEST_F(AuditLogTest, FittingLineFillsFile) {
  const int64_t line = BytesOfALine();
  Fill(limits::kMaxAuditBytes - line);
  const auto log = Open();
  log->Write(Submitted());
  EXPECT_EQ(Bytes(), limits::kMaxAuditBytes);
  EXPECT_FALSE(std::filesystem::exists(aside_));
  WriteLater(*log, Submitted());
  EXPECT_EQ(Bytes(), line);
  EXPECT_EQ(BytesOf(aside_), limits::kMaxAuditBytes);
}

TEST_F(AuditLogTest, FullFileReplacesOldFile) {
  const int64_t line = BytesOfALine();
  std::ofstream(aside_) << "the one before";
  Fill(limits::kMaxAuditBytes - line + 1);
  const auto log = Open();
  log->Write(Submitted("lenet-2"));
  EXPECT_EQ(BytesOf(aside_), limits::kMaxAuditBytes - line + 1);
  WriteLater(*log, Submitted("lenet-3"));
  const std::vector<Json> lines = Lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["subject"], "lenet-2");
  EXPECT_EQ(lines[1]["subject"], "lenet-3");
}

// Bytes that this process wrote count as well as bytes that it found.
TEST_F(AuditLogTest, CountsWhatItWrites) {
  const int64_t line = BytesOfALine();
  Fill(limits::kMaxAuditBytes - 3 * line);
  const auto log = Open();
  for (int i = 0; i < 3; ++i) WriteLater(*log, Submitted());
  EXPECT_FALSE(std::filesystem::exists(aside_));
  WriteLater(*log, Submitted());
  EXPECT_TRUE(std::filesystem::exists(aside_));
  EXPECT_EQ(Lines().size(), 1u);
}

TEST_F(AuditLogTest, CallsOfOneKindAreTwoLinesASecond) {
  const auto log = Open();
  for (int i = 0; i < 5; ++i) log->Write(Submitted(absl::StrCat("lenet-", i)));
  EXPECT_EQ(Lines().size(), 1u);
  clock_.Pass(milliseconds(999));
  log->Write(Submitted("lenet-1"));
  EXPECT_EQ(Lines().size(), 1u);
  clock_.Pass(milliseconds(1));
  log->Write(Submitted());
  const std::vector<Json> lines = Lines();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_FALSE(lines[0].contains("repeated"));
  EXPECT_EQ(lines[1], Json({{"unix_ms", HandClock::kStartUnixMs + 999},
                            {"owner", "ada"},
                            {"role", "submit"},
                            {"token", "0123456789abcdef"},
                            {"from", "192.0.2.7"},
                            {"what", "SubmitJob"},
                            {"result", "ok"},
                            {"repeated", 5},
                            {"subjects", {"lenet-1", "lenet-2", "lenet-3", "lenet-4"}}}));
  EXPECT_FALSE(lines[2].contains("repeated"));
}

TEST_F(AuditLogTest, RepeatedCallsAreCounted) {
  auto log = Open();
  for (int i = 0; i < 3; ++i) log->Write(DeniedFrom("192.0.2.7"));
  clock_.Pass(seconds(5));
  log->Write(Submitted());
  ASSERT_EQ(Lines().size(), 3u);
  EXPECT_EQ(Lines()[1]["repeated"], 2);
  for (int i = 0; i < 4; ++i) log->Write(DeniedFrom("192.0.2.8"));
  log.reset();
  ASSERT_EQ(Lines().size(), 5u);
  EXPECT_EQ(Lines()[4]["repeated"], 3);
}

// Many callers share an address: a shared machine, a proxy.
TEST_F(AuditLogTest, SourceHidesNoOtherSource) {
  const auto called = [](const std::string& token, const std::string& what,
                         const std::string& result) {
    return AuditEntry{.caller = {.owner = "ada", .role = Role::kRead, .token = token},
                      .address = "192.0.2.7",
                      .action = what,
                      .result = result};
  };
  const auto log = Open();
  for (int i = 0; i < 1000; ++i) {
    log->Write(called("a", "Drain", "denied"));
    if (i > 0) continue;
    log->Write(DeniedFrom("192.0.2.7"));
    log->Write(called("a", "Drain", "ok"));
    log->Write(called("a", "Submit", "denied"));
    log->Write(called("b", "Drain", "denied"));
  }
  const std::vector<Json> lines = Lines();
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_FALSE(lines[1].contains("owner"));
  EXPECT_EQ(lines[2]["result"], "ok");
  EXPECT_EQ(lines[3]["what"], "Submit");
  EXPECT_EQ(lines[4]["token"], "b");
}

// The worst case of all limits: each source makes each kind of call for a day.
TEST_F(AuditLogTest, SourceHasABoundedNumberOfLinesASecond) {
  const auto log = Open();
  const auto flood = [&](const AuditEntry& from) {
    for (int i = 0; i < 300; ++i) {
      AuditEntry entry = from;
      entry.action = absl::StrCat("method-", i % 100);
      entry.subject = absl::StrCat(i, std::string(1 << 16, 'x'));
      log->Write(entry);
    }
  };
  flood(Submitted());
  for (int i = 0; i < 300; ++i) flood(DeniedFrom(absl::StrCat("2001:db8::", i)));
  clock_.Pass(seconds(1));
  log->Write(Submitted());
  constexpr size_t kLinesOfSource = 2 * AuditLog::kMaxKindsPerSource + 1;
  EXPECT_LE(Lines().size(), kLinesOfSource * (1 + AuditLog::kMaxUnknownNetworks) + 2);
  // A single token writes less than this each second, so lines of other callers are kept for hours.
  EXPECT_LT(Bytes() / static_cast<int64_t>(1 + AuditLog::kMaxUnknownNetworks), 10'000);
  int64_t counted = 0;
  for (const Json& line : Lines()) counted += line.value("repeated", int64_t{1});
  EXPECT_EQ(counted, 301 * 300 + 1) << "no call is left out";
}

TEST_F(AuditLogTest, AddressesOfOneNetworkAreOneSource) {
  const auto log = Open();
  for (int i = 0; i < 300; ++i) {
    AuditEntry denied = DeniedFrom(absl::StrCat("2001:db8::", i));
    denied.network = "2001:db8::/64";
    log->Write(denied);
  }
  EXPECT_EQ(Lines().size(), 1u);
}

TEST_F(AuditLogTest, AdministrativeLinesAreInAFileOfTheirOwn) {
  const std::string admin_path = AuditLog::AdminPath(path_);
  AuditEntry made{.caller = {.owner = "root", .role = Role::kAdmin, .token = "r"},
                  .address = "127.0.0.1",
                  .action = "CreateToken",
                  .result = "ok",
                  .administrative = true};
  const auto log = Open();
  for (int i = 0; i < 3; ++i) {
    made.subject = absl::StrCat("ada ", i);
    log->Write(made);
    log->Write(Submitted());
  }
  const std::vector<Json> lines = LinesOf(admin_path);
  ASSERT_EQ(lines.size(), 3u) << "each by itself";
  EXPECT_EQ(lines[2]["subject"], "ada 2");
  EXPECT_EQ(RightsOf(admin_path), 0600u);
  EXPECT_EQ(Lines().size(), 1u);
}

TEST_F(AuditLogTest, LinesOfTwoAtOnceAreWhole) {
  constexpr int kEach = 300;
  Fill(limits::kMaxAuditBytes - 100 * BytesOfALine());
  const auto log = Open();
  {
    const auto work = [&](const std::string& subject) {
      for (int i = 0; i < kEach; ++i) {
        AuditEntry entry = Submitted(subject);
        entry.caller.token = absl::StrFormat("%s%09d", subject, i);  // as long as a token's id
        log->Write(entry);
      }
    };
    Thread one("one", [&] { work("lenet-1"); }), other("other", [&] { work("lenet-2"); });
  }
  // The first hundred lines follow the hole in the file, which was set aside with them.
  EXPECT_EQ(Lines().size(), 2u * kEach - 100);
}

TEST_F(AuditLogTest, UnopenableFileIsNamed) {
  EXPECT_THAT(AuditLog::Open(folder_ / "none/audit.jsonl", clock_),
              IsError(absl::StatusCode::kNotFound, folder_ / "none/audit.jsonl"));
  EXPECT_THAT(AuditLog::Open(folder_.path(), clock_),
              IsError(absl::StatusCode::kFailedPrecondition, folder_.path()));
}

// The log continues in the old file until a new file can be created.
TEST_F(AuditLogTest, NoLineIsLostWhereNoNewFileCanBeMade) {
  Fill(limits::kMaxAuditBytes - 1);
  const auto log = Open();
  std::filesystem::create_directory(aside_);  // blocks the rename
  log->Write(Submitted("lenet-1"));
  std::filesystem::remove(aside_);
  {
    const LoweredLimit no_file(RLIMIT_NOFILE, 0);
    WriteLater(*log, Submitted("lenet-2"));  // renames the file but cannot create a new one
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
  WriteLater(*log, Submitted("lenet-3"));
  ASSERT_EQ(Lines().size(), 1u);
  EXPECT_EQ(Lines()[0]["subject"], "lenet-3");
  EXPECT_EQ(BytesOf(aside_), limits::kMaxAuditBytes - 1 + 2 * Bytes());
}

// A limit on the file size cuts a line as a full disk does.
TEST_F(AuditLogTest, TruncatedLineSpoilsNoOther) {
  const auto log = Open();
  log->Write(Submitted("lenet-1"));
  const int64_t line = Bytes();
  (void)std::signal(SIGXFSZ, SIG_IGN);
  testing::internal::CaptureStderr();
  {
    const LoweredLimit full(RLIMIT_FSIZE, line + line / 2);
    WriteLater(*log, Submitted("lenet-2"));
  }
  EXPECT_NE(testing::internal::GetCapturedStderr().find("No space left"), std::string::npos);
  WriteLater(*log, Submitted("lenet-3"));
  const std::vector<Json> lines = Lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1]["subject"], "lenet-3");
}

// The call itself must not fail.
TEST_F(AuditLogTest, FullDiskIsWarning) {
  std::filesystem::create_symlink("/dev/full", path_);
  const auto log = AuditLog::Open(path_, clock_);
  DL_ASSERT_OK(log);
  testing::internal::CaptureStderr();
  (*log)->Write(Submitted());
  EXPECT_NE(testing::internal::GetCapturedStderr().find(path_), std::string::npos);
}

}  // namespace
}  // namespace dl::security
