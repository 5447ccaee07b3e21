#include "base/status.h"

#include "base/system_error.h"
#include "gtest/gtest.h"

namespace dl {
namespace {

Status Full() {
  return DataLoss({.message = "bad block", .where = "block 3", .remedy = "Restore it"});
}

TEST(Status, CarriesItsParts) {
  EXPECT_EQ(Full().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Full().message(), "bad block");
  EXPECT_EQ(ErrorWhere(Full()), "block 3");
  EXPECT_EQ(ErrorRemedy(Full()), "Restore it");
  EXPECT_EQ(DescribeError(Full()), "bad block (at block 3). Restore it");
  EXPECT_EQ(DescribeError(DataLoss({.message = "x"})), "x");
  EXPECT_EQ(ErrorRemedy(Internal({.message = "x"})),
            "Please report this as a bug of Paravane, with the log");
  EXPECT_EQ(ErrorRemedy(Internal({.message = "x", .remedy = "Test the disk"})), "Test the disk");
  EXPECT_EQ(ErrorWhere(absl::OkStatus()), "");
}

TEST(Status, ContextKeepsCodeAndParts) {
  const Status status = WithContext(Full(), "while loading");
  EXPECT_EQ(DescribeError(status), "while loading: bad block (at block 3). Restore it");
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_TRUE(WithContext(absl::OkStatus(), "x").ok());
}

TEST(Status, AnotherRemedyKeepsTheRest) {
  EXPECT_EQ(DescribeError(WithRemedy(Full(), "Copy it")), "bad block (at block 3). Copy it");
  EXPECT_TRUE(WithRemedy(absl::OkStatus(), "x").ok());
}

TEST(Status, NamesOfCodesRoundTrip) {
  for (int code = 0; code <= 16; ++code) {
    const auto value = static_cast<absl::StatusCode>(code);
    EXPECT_EQ(ErrorCodeFromName(ErrorCodeName(value)), value);
  }
  EXPECT_EQ(ErrorCodeName(absl::StatusCode::kDataLoss), "data_loss");
  EXPECT_EQ(ErrorCodeFromName("no such"), absl::StatusCode::kUnknown);
}

StatusOr<int> Half(int value) {
  if (value % 2 != 0) return InvalidArgument({.message = "odd"});
  return value / 2;
}
Status Quarter(int value, int& out) {
  DL_ASSIGN_OR_RETURN(const int half, Half(value));
  DL_ASSIGN_OR_RETURN(out, Half(half));
  DL_RETURN_IF_ERROR(Half(out * 2).status());
  return absl::OkStatus();
}

TEST(Status, MacrosReturnTheFirstError) {
  int out = 0;
  EXPECT_TRUE(Quarter(12, out).ok());
  EXPECT_EQ(out, 3);
  EXPECT_EQ(Quarter(6, out).message(), "odd");
}

TEST(StatusDeathTest, ChecksEndTheProcess) {
  EXPECT_DEATH(DL_CHECK(1 == 2), "check failed: 1 == 2");
}

TEST(SystemError, KeepsErrorCode) {
  EXPECT_EQ(SystemError(ENOSPC, "write", "f").code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(SystemError(ENOENT, "open", "f").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(DescribeError(SystemError(EACCES, "open the file", "f")),
            "cannot open the file: Permission denied (at f). Give this user the right to it, or "
            "another path");
}

TEST(SystemError, ShortageIsRetryable) {
  for (const int error : {EMFILE, ENFILE, ENOMEM}) {
    const Status status = WithContext(SystemError(error, "open", "f"), "reading");
    EXPECT_TRUE(IsShortage(status)) << status;
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  }
  EXPECT_FALSE(IsShortage(SystemError(ENOSPC, "write", "f")));
  EXPECT_FALSE(IsShortage(Unavailable({.message = "gone"})));
}

TEST(SystemError, HasRemedyAndCause) {
  for (const int error : {ENOENT, ENOTDIR, EISDIR, EACCES, EROFS, ENOSPC, EIO, EMFILE, EPIPE})
    EXPECT_NE(ErrorRemedy(SystemError(error, "open", "f")), "") << error;
  EXPECT_EQ(SystemErrorNumber(WithContext(SystemError(EISDIR, "open", "f"), "reading")), EISDIR);
  EXPECT_EQ(SystemErrorNumber(NotFound({.message = "no such job"})), 0);
  // The missing folder is not the thing that was searched for, so this is not NotFound.
  const Status made = CreationError(ENOENT, "create the folder", "/none/x");
  EXPECT_EQ(made.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(SystemErrorNumber(made), ENOENT);
}

}  // namespace
}  // namespace dl
