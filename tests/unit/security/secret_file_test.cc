#include "security/secret_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "base/limits.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::security {
namespace {

using test::IsError;

const std::string kSecret(43, 'S');
const Token kToken{.id = "0123456789abcdef", .secret = kSecret, .ca = std::string(43, 'C')};
const std::string kText = ToString(kToken);

// Returns the reading end of a pipe. The text is written and the writing end is closed.
FileDescriptor PipeWith(const std::string& text) {
  std::array<int, 2> ends = {-1, -1};
  EXPECT_EQ(pipe(ends.data()), 0);
  const FileDescriptor writer(ends[1]);
  EXPECT_EQ(write(writer.get(), text.data(), text.size()), std::ssize(text));
  return FileDescriptor(ends[0]);
}

// Replaces standard input by another descriptor until the end of the scope.
class StandardInput {
 public:
  explicit StandardInput(const FileDescriptor& other) : before_(dup(STDIN_FILENO)) {
    dup2(other.get(), STDIN_FILENO);
  }
  ~StandardInput() {
    if (before_.valid()) {
      dup2(before_.get(), STDIN_FILENO);
    } else {
      close(STDIN_FILENO);
    }
  }

 private:
  const FileDescriptor before_;
};

class SecretFileTest : public testing::Test {
 protected:
  std::string Write(const std::string& text, mode_t mode = 0600) {
    const std::string path = folder_.Write("token", text);
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    return path;
  }
  static void ExpectToken(const StatusOr<Token>& token) {
    DL_ASSERT_OK(token);
    EXPECT_EQ(ToString(*token), kText);
  }

  const test::TempFolder folder_;
};

TEST_F(SecretFileTest, OnlyOwnerMayRead) {
  const std::string path = folder_ / "token";
  DL_ASSERT_OK(WriteTokenFile(path, kToken));
  struct stat there = {};
  ASSERT_EQ(stat(path.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 07777, 0600u);
  ExpectToken(ReadTokenFile(path));
  // A file with wider permissions is replaced, including its permissions.
  ASSERT_EQ(chmod(path.c_str(), 0666), 0);
  DL_ASSERT_OK(WriteTokenFile(path, kToken));
  ASSERT_EQ(stat(path.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 07777, 0600u);
}

TEST_F(SecretFileTest, FileReadableByOthersIsRefused) {
  for (const mode_t mode : {0644, 0640, 0604, 0620, 0602, 0660, 0666, 0777, 0610}) {
    const std::string path = Write(kText, mode);
    const Status refused = ReadTokenFile(path).status();
    EXPECT_THAT(refused, IsError(absl::StatusCode::kUnauthenticated, "chmod 600 " + path))
        << std::oct << mode;
    EXPECT_EQ(ErrorWhere(refused), path);
    EXPECT_EQ(DescribeError(refused).find(kSecret), std::string::npos);
  }
  for (const mode_t mode : {0600, 0400, 0700}) ExpectToken(ReadTokenFile(Write(kText, mode)));
}

// Distributions give a service's key to root and to a group that contains the service.
TEST_F(SecretFileTest, GroupMayReadKeyOfRoot) {
  const std::string path = folder_ / "token";
  const auto rights = [&](mode_t mode, uid_t owner) {
    Write("key", mode);
    EXPECT_EQ(geteuid() == 0 ? chown(path.c_str(), owner, 0) : 0, 0);
    return CheckKeyPermissions(path);
  };
  const uid_t somebody = geteuid() == 0 ? 65534 : geteuid();
  for (const mode_t mode : {0644, 0604, 0620, 0602, 0660, 0666, 0777, 0610})
    EXPECT_THAT(rights(mode, somebody), IsError(absl::StatusCode::kUnauthenticated, path));
  EXPECT_NE(ErrorRemedy(rights(0640, somebody)).find("chmod 600 " + path), std::string::npos);
  for (const mode_t mode : {0600, 0400, 0700}) DL_EXPECT_OK(rights(mode, somebody));
  if (geteuid() != 0) return;
  for (const mode_t mode : {0640, 0440, 0600}) DL_EXPECT_OK(rights(mode, 0));
  for (const mode_t mode : {0644, 0660, 0604}) {
    const Status refused = rights(mode, 0);
    EXPECT_THAT(refused, IsError(absl::StatusCode::kUnauthenticated, path));
    EXPECT_NE(ErrorRemedy(refused).find("chmod 640 " + path), std::string::npos) << refused;
  }
  DL_EXPECT_OK(CheckKeyPermissions(folder_ / "none"));  // the code that reads the file reports the
                                                        // error
}

TEST_F(SecretFileTest, LinkIsFollowed) {
  const std::string path = Write(kText, 0644), link = folder_ / "link";
  std::filesystem::create_symlink(path, link);
  EXPECT_THAT(ReadTokenFile(link), IsError(absl::StatusCode::kUnauthenticated, link));
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  ExpectToken(ReadTokenFile(link));
}

TEST_F(SecretFileTest, WhiteSpaceAroundTheTokenIsFine) {
  for (const std::string& text :
       {kText + "\n", kText + " ", kText + "\r\n", "\n " + kText + "\n\n", kText})
    ExpectToken(ReadTokenFile(Write(text)));
  const std::string longest =
      kText + std::string(limits::kMaxTokenFileBytes - std::ssize(kText), '\n');
  ExpectToken(ReadTokenFile(Write(longest)));
  EXPECT_THAT(ReadTokenFile(Write(longest + "\n")),
              IsError(absl::StatusCode::kResourceExhausted, folder_ / "token"));
}

TEST_F(SecretFileTest, InvalidTokenIsNotPrinted) {
  for (const std::string& text :
       {std::string(), std::string("\n"), kText.substr(1), kText + kText, "token: " + kText,
        kText + "\n" + kText, kSecret, std::string(100, '\0'), std::string("\xff\xfe")}) {
    const std::string path = Write(text);
    const Status refused = ReadTokenFile(path).status();
    EXPECT_THAT(refused,
                IsError(absl::StatusCode::kInvalidArgument, "this is not a token of Paravane"))
        << text;
    EXPECT_EQ(ErrorWhere(refused), path);
    EXPECT_FALSE(ErrorRemedy(refused).empty());
    EXPECT_EQ(DescribeError(refused).find("SSSSS"), std::string::npos) << text;
  }
}

TEST_F(SecretFileTest, MissingFileIsNotFound) {
  EXPECT_THAT(ReadTokenFile(folder_ / "none"),
              IsError(absl::StatusCode::kNotFound, folder_ / "none"));
  EXPECT_THAT(ReadTokenFile(""), IsError(absl::StatusCode::kNotFound, "cannot open"));
  EXPECT_THAT(WriteTokenFile(folder_ / "none/token", kToken),
              IsError(absl::StatusCode::kFailedPrecondition, folder_ / "none/token"));
}

// An executor that restarts itself reads the token again from the same descriptor.
TEST_F(SecretFileTest, TokenFromPipeIsRemembered) {
  for (const char* folder : {"/dev/fd/", "/proc/self/fd/"}) {
    const FileDescriptor pipe = PipeWith(kText + "\n");
    const std::string path = absl::StrCat(folder, pipe.get());
    ExpectToken(ReadTokenFile(path));
    ExpectToken(ReadTokenFile(path));
    ExpectToken(ReadTokenFile(path));
    EXPECT_EQ(fcntl(pipe.get(), F_GETFD) & FD_CLOEXEC, 0) << "the next program would lack it";
  }
}

TEST_F(SecretFileTest, PipeWithoutTokenIsNamed) {
  const FileDescriptor pipe = PipeWith(kText.substr(1)), empty = PipeWith("");
  for (const FileDescriptor* each : {&pipe, &empty}) {
    const std::string path = absl::StrCat("/dev/fd/", each->get());
    EXPECT_THAT(ReadTokenFile(path), IsError(absl::StatusCode::kInvalidArgument, path));
  }
  const FileDescriptor long_one = PipeWith(std::string(limits::kMaxTokenFileBytes + 1, 'x'));
  EXPECT_THAT(ReadTokenFile(absl::StrCat("/dev/fd/", long_one.get())),
              IsError(absl::StatusCode::kResourceExhausted, "/dev/fd/"));
}

TEST_F(SecretFileTest, FileOfDescriptorIsChecked) {
  const std::string path = Write(kText, 0644);
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::string by_number = absl::StrCat("/dev/fd/", file.get());
  EXPECT_THAT(ReadTokenFile(by_number), IsError(absl::StatusCode::kUnauthenticated, by_number));
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  ExpectToken(ReadTokenFile(by_number));
  ExpectToken(ReadTokenFile(by_number));
}

TEST_F(SecretFileTest, ClosedDescriptorIsAnError) {
  EXPECT_FALSE(ReadTokenFile("/dev/fd/9999").ok());
  EXPECT_FALSE(ReadTokenFile("/dev/fd/-1").ok());
  EXPECT_FALSE(ReadTokenFile("/dev/fd/x").ok());
}

TEST_F(SecretFileTest, DashIsStandardInput) {
  {
    const StandardInput input(PipeWith(kText));
    ExpectToken(ReadTokenFile("-"));
    ExpectToken(ReadTokenFile("-"));
    ExpectToken(ReadTokenFile("/dev/stdin"));
  }
  const StandardInput wrong(PipeWith("password"));
  EXPECT_THAT(ReadTokenFile("-"), IsError(absl::StatusCode::kInvalidArgument, "standard input"));
}

}  // namespace
}  // namespace dl::security
