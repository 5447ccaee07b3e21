#include "cli/clusters/hosts_file.h"

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "cli/clusters/ssh.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::cli {
namespace {

using absl::StatusCode;
using test::IsError;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(HostsFile, ParsesMachinesAndExecutorFlags) {
  const auto hosts = ParseHostsFile(
      "# the rack\r\n\n"
      "node1\n"
      "  ada@node2.example.org\tslots=8 isa=avx2  memory=16G executor-label=a=b executor-label=c=d "
      "# fast\n"
      "[fd00::7] name=seven cache-dir=/scratch/cache cache-bytes=0",
      "f");
  DL_ASSERT_OK(hosts);
  ASSERT_EQ(hosts->size(), 3u);
  EXPECT_EQ((*hosts)[0].host, "node1");
  EXPECT_EQ((*hosts)[0].name, "node1");
  EXPECT_THAT((*hosts)[0].flags, IsEmpty());
  EXPECT_EQ((*hosts)[1].host, "ada@node2.example.org");
  EXPECT_EQ((*hosts)[1].name, "node2.example.org");
  EXPECT_THAT((*hosts)[1].flags, ElementsAre("--slots", "8", "--isa", "avx2", "--memory", "16G",
                                             "--executor-label", "a=b", "--executor-label", "c=d"));
  EXPECT_EQ((*hosts)[2].name, "seven");
  EXPECT_THAT((*hosts)[2].flags,
              ElementsAre("--cache-dir", "/scratch/cache", "--cache-bytes", "0"));
}

TEST(HostsFile, FilesOfOtherSystemsAreRead) {
  for (const std::string end : {"\r\n", "\r", "\n"}) {
    const auto hosts = ParseHostsFile(
        absl::StrCat("\xef\xbb\xbfnode1 slots=2", end, "# rest", end, end, "node2"), "f");
    DL_ASSERT_OK(hosts);
    ASSERT_EQ(hosts->size(), 2u);
    EXPECT_EQ((*hosts)[0].host, "node1");
    EXPECT_THAT((*hosts)[0].flags, ElementsAre("--slots", "2"));
    EXPECT_EQ((*hosts)[1].host, "node2");
    EXPECT_EQ(ErrorWhere(ParseHostsFile(absl::StrCat("a", end, "b", end, "c;", end), "f").status()),
              "f:3");
  }
  const std::string wide("n\0o\0d\0e\0", 8);
  for (const std::string& text : {wide, "\xff\xfe" + wide, std::string("\xfe\xff\0n", 4)}) {
    const Status status = ParseHostsFile(text, "f").status();
    EXPECT_THAT(status, IsError(StatusCode::kInvalidArgument, "it seems to be in UTF-16"));
    EXPECT_THAT(ErrorRemedy(status), HasSubstr("UTF-8"));
  }
}

// ssh looks up a name with brackets.
TEST(HostsFile, AddressLosesItsBrackets) {
  const auto hosts = ParseHostsFile("[fd00::7] name=a\nada@[fe80::1%eth0] name=b\n::1 name=c", "f");
  DL_ASSERT_OK(hosts);
  EXPECT_EQ((*hosts)[0].host, "fd00::7");
  EXPECT_EQ((*hosts)[1].host, "ada@fe80::1%eth0");
  EXPECT_EQ((*hosts)[2].host, "::1");
}

TEST(HostsFile, MistakeIsReportedWithLine) {
  const auto expect = [](const std::string& line, const std::string& message) {
    const Status status = ParseHostsFile("good\n" + line + "\n", "f").status();
    EXPECT_THAT(status, IsError(StatusCode::kInvalidArgument, message)) << line;
    EXPECT_EQ(ErrorWhere(status), "f:2") << line;
  };
  expect("node1 slot=3", "did you mean \"slots\"");
  expect("node1 4", "\"4\" is not known");
  expect("node1 slots=", "slots has no value");
  expect("node1 slots=0", "it is between 1 and");
  expect(absl::StrCat("node1 slots=", limits::kMaxSlots + 1), "it is between 1 and");
  expect("node1 slots=2 slots=3", "slots occurs twice");
  expect("node1 isa=sse", "it is avx2, avx512, avx512_bf16 or amx");
  expect("node1 memory=5", "memory=5: it ");
  expect("node1 executor-label=fast", "it is KEY=VALUE");
  expect("node1 name=../x", "name=../x: it has 1 to 128 letters");
  expect("node1:4", "has a number after its host");
  expect("ada@[fd00::7]:22 name=a", "has a number after its host");
  expect("node[1-4]", "is not one machine");
  expect("[]", "is not one machine");
  expect("fd00::7", "cannot be called \"fd00::7\"");
  expect("good", "there is an executor \"good\" already");
  expect("ada@good", "there is an executor \"good\" already");
  // ssh would take these for a flag, or a shell for a command.
  expect("-oProxyCommand=x", "is not a machine");
  expect("a;b", "is not a machine");
  expect("$(x)", "is not a machine");
  expect("@node1", "is not a machine");
}

TEST(HostsFile, NumberOfMachinesIsLimited) {
  EXPECT_THAT(ParseHostsFile(" \n# none\n", "f").status(),
              IsError(StatusCode::kInvalidArgument, "the file names no machine"));
  std::string many;
  for (int64_t i = 0; i < limits::kMaxHosts; ++i) absl::StrAppend(&many, "node", i, "\n");
  DL_EXPECT_OK(ParseHostsFile(many, "f"));
  EXPECT_THAT(ParseHostsFile(many + "one-more\n", "f").status(),
              IsError(StatusCode::kInvalidArgument, "more than"));
}

TEST(Ssh, ErrorsHaveRemedy) {
  const auto remedy = [](const char* message) { return SshRemedy(message, "a b"); };
  EXPECT_THAT(remedy("x@y: Permission denied (publickey)."), HasSubstr("ssh-copy-id 'a b'"));
  EXPECT_THAT(remedy("Host key verification failed."), HasSubstr("accept it once: ssh 'a b'"));
  EXPECT_THAT(remedy("ssh: Could not resolve hostname n: x"), HasSubstr("name right"));
  EXPECT_THAT(remedy("ssh: connect to host n port 22: Connection refused"), HasSubstr("sshd"));
  EXPECT_THAT(remedy("ssh: connect to host n port 22: Connection timed out"),
              HasSubstr("machine up"));
  EXPECT_THAT(remedy("kex_exchange_identification: read: reset"), HasSubstr("ssh 'a b' true"));
}

}  // namespace
}  // namespace dl::cli
