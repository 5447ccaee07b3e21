#include "cli/exit_code.h"

#include <cerrno>

#include "base/json.h"
#include "base/system_error.h"
#include "cli/output/error_report.h"
#include "gtest/gtest.h"
#include "rpc/remedy.h"

namespace dl::cli {
namespace {

TEST(ExitCode, EachErrorCodeHasExitCode) {
  EXPECT_EQ(ExitCodeFor(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCodeFor(UsageError({.message = "x"})), 2);
  EXPECT_EQ(ExitCodeFor(Cancelled({.message = "x"})), 3);
  EXPECT_EQ(ExitCodeFor(NotFound({.message = "x"})), 4);
  EXPECT_EQ(ExitCodeFor(DataLoss({.message = "x"})), 65);
  EXPECT_EQ(ExitCodeFor(Unavailable({.message = "x"})), 69);
  EXPECT_EQ(ExitCodeFor(Internal({.message = "x"})), 70);
  EXPECT_EQ(
      ExitCodeFor(ResourceExhausted({.message = "10 jobs are already queued, which is the limit"})),
      75);
  EXPECT_EQ(ExitCodeFor(Aborted({.message = "x"})), 75);
  EXPECT_EQ(ExitCodeFor(FailedPrecondition({.message = "another process uses the folder"})), 75);
  EXPECT_EQ(ExitCodeFor(VersionMismatch({.message = "1 and 2"})), 76);
  EXPECT_EQ(ExitCodeFor(absl::UnauthenticatedError("x")), 77);
  EXPECT_EQ(ExitCodeFor(InvalidArgument({.message = "x"})), 78);
  EXPECT_EQ(ExitCodeFor(DeadlineExceeded({.message = "the master did not answer in time"})), 69);
  EXPECT_EQ(ExitCodeFor(absl::UnknownError("x")), 70);
}

TEST(ExitCode, StateOfAJobDecides) {
  EXPECT_EQ(ExitCodeForState("SUCCEEDED"), 0);
  EXPECT_EQ(ExitCodeForState("CANCELLED"), 3);
  EXPECT_EQ(ExitCodeForState("REJECTED"), 78);
  EXPECT_EQ(ExitCodeForState("FAILED"), 1);
}

TEST(ExitCode, FullDiskGives74) {
  EXPECT_EQ(
      ExitCodeFor(ResourceExhausted({.message = "cannot write the file: No space left on device"})),
      74);
  EXPECT_EQ(ExitCodeFor(ResourceExhausted({.message = "too little free space: 5 bytes"})), 74);
  EXPECT_EQ(ExitCodeFor(absl::PermissionDeniedError("cannot open")), 74);
}

TEST(ExitCode, DeniedFolderGives74) {
  for (const int error : {ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EROFS, EIO, EEXIST, ENOSPC, EPIPE})
    EXPECT_EQ(ExitCodeFor(SystemError(error, "open", "f")), 74) << error;
  EXPECT_EQ(ExitCodeFor(CreationError(ENOENT, "create the folder", "/proc/x")), 74);
  EXPECT_EQ(ExitCodeFor(SystemError(ENOENT, "open", "f")), 4);
  EXPECT_EQ(ExitCodeFor(AsDataError(SystemError(ENOENT, "open", "f"))), 65);
  EXPECT_EQ(ExitCodeFor(SystemError(EMFILE, "open", "f")), 75);
}

TEST(ExitCode, TimeoutHasRemedy) {
  const Status silent = DeadlineExceeded({.message = "the master did not answer in time"});
  EXPECT_NE(FormatError(silent).find("try: Is a master listening there?"), std::string::npos);
  EXPECT_NE(ErrorResult(silent, "")["error"]["remedy"], "");
}

TEST(ExitCode, PlaceOfErrorMayDecide) {
  const Status bad_row = WithExitCode(InvalidArgument({.message = "row 7"}), kBadData);
  EXPECT_EQ(ExitCodeFor(bad_row), 65);
  EXPECT_EQ(ExitCodeFor(WithContext(bad_row, "importing")), 65);
  EXPECT_EQ(ExitCodeFor(WithExitCode(bad_row, kInputOutput)), 65) << "the first place knows best";
  EXPECT_TRUE(WithExitCode(absl::OkStatus(), kBadData).ok());
}

TEST(ExitCode, BadDatasetGives65) {
  EXPECT_EQ(ExitCodeFor(AsDataError(NotFound({.message = "no file"}))), 65);
  EXPECT_EQ(ExitCodeFor(AsDataError(InvalidArgument({.message = "row 7"}))), 65);
  EXPECT_EQ(ExitCodeFor(AsDataError(absl::OutOfRangeError("class 11"))), 65);
  EXPECT_EQ(ExitCodeFor(AsDataError(Unavailable({.message = "the master is gone"}))), 69);
  EXPECT_EQ(ExitCodeFor(AsDataError(absl::PermissionDeniedError("cannot read"))), 74);
  EXPECT_TRUE(AsDataError(absl::OkStatus()).ok());
}

TEST(ExitCode, BadValueOfFlagThatMasterFindsGives2) {
  const Status status = AsFlagError(
      InvalidArgument({.message = "no such set", .where = "isa", .remedy = "Use avx2"}), "--isa");
  EXPECT_EQ(ExitCodeFor(status), 2);
  EXPECT_EQ(FormatError(status), "error: no such set\n  at: --isa\n  try: Use avx2\n");
  EXPECT_EQ(ExitCodeFor(AsFlagError(Unavailable({.message = "the master is gone"}), "--isa")), 69);
}

TEST(ErrorReport, HasMessagePlaceAndRemedy) {
  const Status status = InvalidArgument(
      {.message = "two mistakes:\nfirst\nsecond", .where = "job.json", .remedy = "Fix it"});
  EXPECT_EQ(FormatError(status),
            "error: two mistakes:\n  first\n  second\n  at: job.json\n  try: Fix it\n");
  EXPECT_EQ(FormatError(NotFound({.message = "gone"})), "error: gone\n");
  const Status typed =
      rpc::AttachRemedy(NotFound({.message = "gone"}), {.kind = rpc::RemedyKind::kListJobs});
  EXPECT_EQ(FormatError(typed), "error: gone\n  try: List the jobs with: dl-submit list\n");
  EXPECT_EQ(ErrorResult(typed, "").at("error").at("action"), Json({{"name", "list_jobs"}}));
  EXPECT_EQ(
      FormatError(NotFound({.message = "a\nerror: b", .where = "c\nerror: d", .remedy = "e\nf"})),
      "error: a\n  error: b\n  at: c\n      error: d\n  try: e\n       f\n");
}

TEST(ErrorReport, JsonIsResultLine) {
  const Json line = ErrorResult(NotFound({.message = "gone", .where = "x", .remedy = "look"}), "");
  EXPECT_EQ(line["type"], "result");
  EXPECT_TRUE(line["job"].is_null());
  EXPECT_EQ(line["exit_code"], 4);
  EXPECT_EQ(line["error"],
            (Json{{"code", "not_found"}, {"message", "gone"}, {"where", "x"}, {"remedy", "look"}}));
  EXPECT_EQ(ErrorResult(NotFound({.message = "gone"}), "lenet-1")["job"], "lenet-1");
}

}  // namespace
}  // namespace dl::cli
