// Installs with cmake --install into a prefix. Another project finds the installation, builds a job
// program and trains.
#include <fstream>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/process.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl {
namespace {

using testing::HasSubstr;

constexpr Duration kTimeout = std::chrono::seconds(1500);

struct Said {
  int code = -1;
  std::string text;
};

class Installed : public testing::Test {
 protected:
  // Runs a shell command in the test's folder. Returns the exit code and both output streams.
  Said Shell(const std::string& line) {
    auto child = Spawner::Real().Start(
        {.argv = {"/bin/sh", "-c", absl::StrCat("exec 2>&1; cd ", folder_.path(), " && ", line)},
         .env = {"HOME=" + folder_.path()},
         .out = ChildOutput::Pipe()});
    if (!child.ok()) return {-1, DescribeError(child.status())};
    Said said{.text = (*child)->ReadAll(kTimeout, 1 << 24).value_or("")};
    if (const auto ended = (*child)->Wait(kTimeout); ended.ok()) said.code = ended->code;
    return said;
  }
  void Install() {
    const Said install = Shell("cmake --install " DL_BUILD_FOLDER " --prefix $PWD/prefix");
    ASSERT_EQ(install.code, 0) << install.text;
  }

  test::TempFolder folder_;
};

TEST_F(Installed, OutsideProjectBuildsAndTrainsJob) {
  {
    std::ofstream rows(folder_ / "rows.csv");
    rows << "x,y,label\n";
    for (int i = 0; i < 96; ++i) rows << i % 7 << "," << (i * 5) % 11 << "," << i % 3 << "\n";
  }
  ASSERT_NO_FATAL_FAILURE(Install());
  const Said build = Shell(
      "cmake -G Ninja -S " DL_OUTSIDE_FOLDER
      " -B build -D CMAKE_PREFIX_PATH=$PWD/prefix -D CMAKE_CXX_COMPILER_LAUNCHER=\"$(command -v "
      "ccache)\" && cmake --build build");
  ASSERT_EQ(build.code, 0) << build.text;

  // Runs the job by dl-submit, and by the program itself, which finds dl-submit in the PATH.
  const std::string path = "PATH=$PWD/prefix/bin:$PATH ";
  const Said run = Shell(path + "dl-submit run ./build/my_job --data-dir data --json -- 4");
  EXPECT_EQ(run.code, 0) << run.text;
  EXPECT_THAT(run.text, HasSubstr("\"state\":\"SUCCEEDED\""));
  EXPECT_THAT(run.text, HasSubstr("about 1 arguments")) << "on stderr";
  const Said alone = Shell(path + "./build/my_job --data-dir data --epochs 2 -- 4");
  EXPECT_EQ(alone.code, 0) << alone.text;
  EXPECT_THAT(alone.text, HasSubstr("2 epochs"));
  const Said mistake = Shell(path + "dl-submit run ./build/my_job --json");
  EXPECT_EQ(mistake.code, 78) << mistake.text;
  EXPECT_THAT(mistake.text, HasSubstr("there are no units. Say how many"));
  const Said nowhere = Shell("PATH=/nowhere ./build/my_job -- 4");
  EXPECT_EQ(nowhere.code, 74);
  EXPECT_THAT(nowhere.text, HasSubstr("nor on the PATH"));

  // Installs only the headers that a job program needs, without the engine.
  EXPECT_EQ(Shell("test -e prefix/include/paravane/job/job_builder.h").code, 0);
  EXPECT_EQ(Shell("ls prefix/include/paravane").text, "base\njob\nlaunch\nnn\n");
  EXPECT_EQ(Shell("ls prefix/include/paravane/nn").text, "conf\n");
}

TEST_F(Installed, CompletionsAndManualPagesAreInstalled) {
  ASSERT_NO_FATAL_FAILURE(Install());
  const std::string share = "prefix/share/";
  EXPECT_EQ(Shell("ls -1 " + share + "man/man1 | grep -c '^dl-submit-run.1$'").text, "1\n");
  EXPECT_THAT(Shell("MANPATH=$PWD/prefix/share/man man -P cat dl-executor").text,
              HasSubstr("--slots"));
  EXPECT_THAT(Shell("cat " + share + "bash-completion/completions/dl-master").text,
              HasSubstr("complete -F _dl_submit dl-submit dl-master dl-executor"));
  EXPECT_THAT(Shell("head -1 " + share + "zsh/site-functions/_dl-submit").text,
              HasSubstr("#compdef dl-submit"));
  EXPECT_THAT(Shell("cat " + share + "fish/vendor_completions.d/dl-submit.fish").text,
              HasSubstr("complete -c dl-executor"));
}

// A user may include any header alone and with all warnings enabled.
TEST_F(Installed, EachHeaderIsSelfContained) {
  ASSERT_NO_FATAL_FAILURE(Install());
  const Said compiled = Shell(DL_HEADERS_ALONE " prefix/include/paravane");
  EXPECT_EQ(compiled.code, 0);
  EXPECT_EQ(compiled.text, "");
  const Said count = Shell("ls prefix/include/paravane/*.o | wc -l");
  EXPECT_GT(std::atoi(count.text.c_str()), 50) << "they are found";
}

// Hardening limits the damage of an undiscovered bug (docs/security.md).
TEST_F(Installed, ProgramsAreHardened) {
  ASSERT_NO_FATAL_FAILURE(Install());
  for (const std::string program : {"dl-submit", "dl-master", "dl-executor"}) {
    const auto lines = [&](const std::string& of, const std::string& pattern) {
      return Shell(absl::StrCat("readelf -W ", of, " prefix/bin/", program, " | grep -E '", pattern,
                                "'"))
          .text;
    };
    EXPECT_THAT(lines("-h", "Type:"), HasSubstr("DYN")) << "code at a random address";
    EXPECT_THAT(lines("-l", "GNU_RELRO"), HasSubstr("RELRO"));
    EXPECT_THAT(lines("-d", "FLAGS"), HasSubstr("NOW")) << "no function pointer stays writable";
    EXPECT_THAT(lines("-l", "GNU_STACK"), testing::Not(HasSubstr("RWE")));
    EXPECT_THAT(lines("--dyn-syms", "__stack_chk_fail"), HasSubstr("UND"));
    EXPECT_THAT(lines("--dyn-syms", "__(memcpy|read|snprintf|vsnprintf)_chk"), HasSubstr("UND"));
    // The assertions of std::vector and others: _GLIBCXX_ASSERTIONS.
    EXPECT_THAT(lines("--dyn-syms", "__glibcxx_assert_fail"), HasSubstr("UND"));
    EXPECT_EQ(lines("-d", "RPATH|RUNPATH"), "");
  }
}

// A restart does not help against the errors of these codes (docs/operations/commands.md).
TEST_F(Installed, ServicesAreNotRestartedAfterLastingErrors) {
  ASSERT_NO_FATAL_FAILURE(Install());
  for (const std::string unit : {"master", "executor"}) {
    const Said line = Shell("grep RestartPreventExitStatus prefix/lib/systemd/system/paravane-" +
                            unit + ".service");
    for (const char* code : {"=2 ", " 76 ", " 77 ", " 78"})
      EXPECT_THAT(line.text, HasSubstr(code)) << unit;
  }
}

TEST_F(Installed, SystemdAcceptsTheUnits) {
  if (Shell("command -v systemd-analyze").code != 0) GTEST_SKIP() << "there is no systemd-analyze";
  ASSERT_NO_FATAL_FAILURE(Install());
  for (const std::string unit : {"master", "executor"}) {
    const std::string file = absl::StrCat("prefix/lib/systemd/system/paravane-", unit, ".service");
    const Said verified = Shell("systemd-analyze verify " + file);
    EXPECT_EQ(verified.code, 0) << verified.text;
    EXPECT_EQ(verified.text, "");
    // The threshold is in tenths. An exposure of 0 would be a service that can do nothing.
    const Said exposure = Shell("systemd-analyze security --offline=yes --threshold=15 " + file);
    EXPECT_EQ(exposure.code, 0) << exposure.text;
  }
}

}  // namespace
}  // namespace dl
