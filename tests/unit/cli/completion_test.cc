// The scripts of `dl-submit completion`, run by the shells that they are made for.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/exit_code.h"
#include "cli/help/command_table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Completion : public testing::Test {
 protected:
  // Returns the completions of the last word in bash, sorted, one a line.
  std::string InBash(const std::vector<std::string>& words) const {
    const std::string script = folder_.Write(
        "complete.bash",
        absl::StrCat("PATH=${DL%/*}:$PATH\ncd ", folder_.path(),
                     "\nsource <(dl-submit completion bash)\nCOMP_WORDS=('",
                     absl::StrJoin(words, "' '"), "')\nCOMP_CWORD=", words.size() - 1,
                     "\ncompopt() { :; }  # works only within a completion\n_dl_submit ", words[0],
                     " '", words.back(), "' '", words[words.size() - 2],
                     "'\nprintf '%s\\n' \"${COMPREPLY[@]}\" | sort\n"));
    return Shell(absl::StrCat("DL=\"$DL\" bash --norc -u -e ", script)).out;
  }
  // Returns the completions of a line in fish: words and descriptions, one a line.
  std::string InFish(const std::string& line) const {
    return Shell(absl::StrCat("export HOME=", folder_.path(), "; cd; PATH=${DL%/*}:$PATH fish -c '",
                              "dl-submit completion fish | source; complete -C \"", line, "\"'"))
        .out;
  }
  // Returns what zsh shows after the line and a tab.
  std::string InZsh(const std::string& line) const {
    folder_.Write("interact.zsh", R"(zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='prompt''> ' LINES=60 COLUMNS=100; fpath=($PWD \$fpath); autoload -U compinit"
zpty -w shell "compinit -u -d $PWD/dump; zstyle ':completion:*' list-prompt ''; echo re''ady"
zpty -r -m shell seen '*ready*prompt> *'
zpty -w -n shell "$1"$'\t'
zpty -w shell $'\x15'"echo do''ne"
zpty -r -m shell seen '*done*'
print -r -- ${seen//$'\a'/}  # without bells
zpty -d shell
)");
    return Shell(absl::StrCat("export HOME=", folder_.path(), "; cd; PATH=${DL%/*}:$PATH; ",
                              "dl-submit completion zsh > _dl-submit; zsh -f interact.zsh '", line,
                              "'"))
        .out;
  }
  // Trains the job small-1 in the data folder. Returns the folder.
  std::string TrainJob() const {
    const std::string data = folder_ / "data";
    EXPECT_EQ(DlSubmit({"run", WriteSmallJob(folder_.path()), "--data-dir", data}).code, kSuccess);
    return data;
  }

  const test::TempFolder folder_;
};

TEST_F(Completion, BashCompletesCommandsFlagsAndWords) {
  EXPECT_EQ(InBash({"dl-submit", "hist"}), "history\n");
  EXPECT_EQ(InBash({"dl-submit", "no-command", ""}), "\n");
  EXPECT_EQ(InBash({"dl-submit", "help", "comp"}), "compare\ncompletion\n");
  EXPECT_EQ(InBash({"dl-submit", "run", "--is"}), "--isa\n");
  EXPECT_EQ(InBash({"dl-submit", "export", "small-1", "--format", "s"}), "safetensors\n");
  EXPECT_EQ(InBash({"dl-submit", "export", "--format", "=", "o"}), "onnx\n");
  EXPECT_EQ(InBash({"dl-submit", "export", "--master", "dl", ":", "//h", ":", "7077", "a-1",
                    "--format", "o"}),
            "onnx\n");
  EXPECT_EQ(InBash({"dl-submit", "man", "hist"}), "history\n");
  EXPECT_EQ(InBash({"dl-submit", "cluster", "token", "r"}), "revoke\n");
  EXPECT_EQ(InBash({"dl-submit", "cluster", "--role", "s"}), "submit\n");
  EXPECT_EQ(InBash({"dl-submit", "run", "--seed", "3", "lenet5"}), "lenet5\n");
  EXPECT_EQ(InBash({"dl-submit", "completion", "z"}), "zsh\n");
  EXPECT_EQ(InBash({"dl-executor", "--slo"}), "--slots\n");
  EXPECT_EQ(InBash({"dl-submit", "config", "show", "extra", "too", ""}), "\n");
}

TEST_F(Completion, BashCompletesFilesAndJobs) {
  const std::string data = TrainJob();
  EXPECT_EQ(InBash({"dl-submit", "run", "job"}), "job.json\n");
  EXPECT_EQ(InBash({"dl-submit", "./jo"}), "./job.json\n");
  EXPECT_EQ(InBash({"dl-submit", "history", "--data-dir", "da"}), "data\n");
  EXPECT_EQ(InBash({"dl-submit", "history", "--data-dir", data, ""}), "small-1\n");
  EXPECT_EQ(InBash({"dl-submit", "history", "--data-dir", "=", data, "s"}), "small-1\n");
  EXPECT_EQ(InBash({"dl-submit", "compare", "--data-dir", data, "small-1", "s"}), "small-1\n");
  EXPECT_EQ(InBash({"dl-submit", "history", "--data-dir", data, "small-1", "s"}), "\n")
      << "history has one job";
}

TEST_F(Completion, FishCompletesCommandsFlagsAndWords) {
  EXPECT_THAT(InFish("dl-submit hist"), HasSubstr("history\tPrint the figures"));
  EXPECT_THAT(InFish("dl-submit run --is"), HasSubstr("--isa\t"));
  EXPECT_THAT(InFish("dl-submit export x --format s"), HasSubstr("safetensors\t"));
  EXPECT_THAT(InFish("dl-submit history --ser"),
              AllOf(HasSubstr("--series\tPrint these figures by round"), Not(HasSubstr("--seed"))));
  EXPECT_THAT(InFish("dl-executor --slo"), HasSubstr("--slots\t"));
  const std::string data = TrainJob();
  EXPECT_THAT(InFish("dl-submit run job"), HasSubstr("job.json"));
  EXPECT_EQ(InFish("dl-submit history --data-dir " + data + " s"), "small-1\n");
  EXPECT_EQ(InFish("dl-submit history --data-dir=" + data + " s"), "small-1\n");
  EXPECT_THAT(InFish("dl-submit man hist"), HasSubstr("history\tPrint the figures"));
  EXPECT_THAT(InFish("dl-submit help hist"), HasSubstr("history\tPrint the figures"));
}

TEST_F(Completion, ZshCompletesCommandsFlagsAndWords) {
  EXPECT_THAT(InZsh("dl-submit hist"), HasSubstr("dl-submit history"));
  EXPECT_THAT(InZsh("dl-submit run --is"), HasSubstr("dl-submit run --isa"));
  EXPECT_THAT(InZsh("dl-submit export x --format sa"), HasSubstr("--format safetensors"));
  EXPECT_THAT(InZsh("dl-submit comp"), HasSubstr("compare"));
  EXPECT_THAT(InZsh("dl-submit man hist"), HasSubstr("dl-submit man history"));
  const std::string data = TrainJob();
  EXPECT_THAT(InZsh("dl-submit history --data-dir " + data + " s"), HasSubstr(" small-1"));
  EXPECT_THAT(InZsh("dl-submit history --data-dir=" + data + " s"), HasSubstr(" small-1"));
}

TEST_F(Completion, UnknownShellIsUsageError) {
  const Ended ended = DlSubmit({"completion", "fihs"});
  EXPECT_EQ(ended.code, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("did you mean \"fish\"?"));
}

// Every flag of a Choice has words, and a value in capitals that names a file completes files.
TEST(CommandTable, ArgumentsAreThoseOfHelp) {
  size_t words = 0;
  for (const CommandEntry& command : CommandTable()) {
    const std::string help = DlSubmit({command.name, "--help"}).out;
    for (const Flags::Argument& argument : command.arguments) {
      EXPECT_THAT(help, HasSubstr("  " + absl::StrJoin(argument.names, ","))) << command.name;
      EXPECT_THAT(help, HasSubstr(argument.help)) << command.name;
      if (!argument.words.empty()) ++words;
    }
  }
  EXPECT_GT(words, 10);
}

}  // namespace
}  // namespace dl::cli
