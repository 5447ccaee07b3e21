#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/flags.h"
#include "cli/main.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::cli {
namespace {

using test::IsError;
const std::vector<std::string> kCommands = {"run", "submit", "status", "list", "delete"};

std::string CommandOf(std::vector<std::string> words) {
  auto line = SplitCommandLine(std::move(words), kCommands);
  return line.ok() ? line->command : "error";
}

TEST(CommandLine, ListsAllCommands) {
  std::string names;
  for (const auto& command : AllCommands()) names += std::string(command->name()) + " ";
  EXPECT_EQ(names,
            "run submit sweep master executor status top list logs history explain compare trace "
            "tensorboard ui attach wait cancel pause resume delete checkpoints inspect evaluate "
            "predict generate export import bench cluster daemons doctor config completion man "
            "schema version ");
}

TEST(CommandLine, EveryCommandHasHelpWithExamples) {
  for (const auto& command : AllCommands()) {
    Flags flags("dl-submit " + std::string(command->name()), std::string(command->summary()));
    command->Declare(flags);
    flags.Footer(std::string(command->examples()));
    DL_ASSERT_OK(flags.Parse({"--help"}));
    EXPECT_TRUE(flags.help_wanted());
    EXPECT_NE(flags.Help().find("dl-submit " + std::string(command->name())), std::string::npos)
        << flags.Help();
    EXPECT_EQ(flags.Help().find("INT in ["), std::string::npos) << flags.Help();
    EXPECT_EQ(flags.Help().find("SIZE ["), std::string::npos) << flags.Help();
    EXPECT_FALSE(command->examples().empty());
    EXPECT_FALSE(command->summary().empty());
  }
}

TEST(CommandLine, WordsMustBeUtf8) {
  std::string name;
  std::vector<std::string> names;
  Flags flags("dl-submit executor", "x");
  flags.Text("--name", "NAME", name, "x");
  flags.List("--set", "SET", names, "x");
  flags.Positional("job", name, "x", Flags::Need::kOptional);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--name", "h\xff"}, {"--name=h\xff"}, {"--set", "h\xff"}, {"h\xff"}, {"--h\xff"}}) {
    const Status status = flags.Parse(words);
    EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, "h\\xff\" is not UTF-8"));
    EXPECT_EQ(ExitCodeFor(status), kUsage);
  }
  DL_EXPECT_OK(flags.Parse({"--name", "h\xc3\xa4"}));
}

TEST(CommandLine, HelpWordShowsHelpOfCommand) {
  const auto line = SplitCommandLine({"help", "run"}, kCommands);
  DL_ASSERT_OK(line);
  EXPECT_EQ(line->command, "run");
  EXPECT_EQ(line->words, std::vector<std::string>{"--help"});
  EXPECT_EQ(CommandOf({"help"}), "help");
  EXPECT_EQ(CommandOf({"help", "--json"}), "help");
  EXPECT_THAT(SplitCommandLine({"help", "rnu"}, kCommands),
              IsError(absl::StatusCode::kInvalidArgument, "did you mean \"run\""));
}

TEST(CommandLine, NamesOfOtherToolsGetSuggestion) {
  const std::vector<std::pair<std::string, std::string>> meant = {
      {"train", "run"}, {"jobs", "list"}, {"ps", "list"}, {"rm", "delete"}, {"lsit", "list"}};
  for (const auto& [word, command] : meant) {
    EXPECT_THAT(SplitCommandLine({word}, kCommands),
                IsError(absl::StatusCode::kInvalidArgument, "did you mean \"" + command + "\""));
  }
}

TEST(CommandLine, FlagOrPathMeansSubmit) {
  EXPECT_EQ(CommandOf({"--master", "dl://a:1", "x"}), "submit");
  EXPECT_EQ(CommandOf({"job.json"}), "submit");
  EXPECT_EQ(CommandOf({"./lenet"}), "submit");
  EXPECT_EQ(CommandOf({"run", "./lenet"}), "run");
  EXPECT_EQ(CommandOf({}), "help");
  EXPECT_EQ(CommandOf({"--help"}), "help");
  EXPECT_EQ(CommandOf({"--version"}), "version");
  auto line = SplitCommandLine({"job.json", "-d"}, kCommands);
  DL_ASSERT_OK(line);
  EXPECT_EQ(line->words, (std::vector<std::string>{"job.json", "-d"}));
  line = SplitCommandLine({"run", "job.json"}, kCommands);
  EXPECT_EQ(line->words, std::vector<std::string>{"job.json"});
}

TEST(CommandLine, UnknownCommandIsUsageErrorWithSuggestion) {
  auto line = SplitCommandLine({"statsu"}, kCommands);
  EXPECT_THAT(line, IsError(absl::StatusCode::kInvalidArgument, "did you mean \"status\""));
  EXPECT_EQ(ExitCodeFor(line.status()), kUsage);
}

struct Values {
  std::string job, master;
  int64_t port = 7;
  int64_t bytes = 0;
  bool detach = false;
  std::vector<std::string> sets;
};

Status Parse(std::vector<std::string> words, Values& values) {
  Flags flags("dl-submit test", "Test");
  flags.Positional("JOB", values.job, "A job", Flags::Need::kRequired);
  flags.Text("--master", "WHERE", values.master, "Where");
  flags.Integer("--port", "PORT", values.port, "Port", 0, 65535);
  flags.Bytes("--memory", values.bytes, "Memory");
  flags.Switch("-d,--detach", values.detach, "Detach");
  flags.List("--set", "PATH=VALUE", values.sets, "Set");
  return flags.Parse(std::move(words));
}

TEST(Flags, ValuesAreStored) {
  Values values;
  DL_ASSERT_OK(
      Parse({"--set", "a=1", "lenet", "--master=local[2]", "--set", "b=2", "-d", "--memory", "2K"},
            values));
  EXPECT_EQ(values.job, "lenet") << "a --set takes one value only";
  EXPECT_EQ(values.master, "local[2]");
  EXPECT_EQ(values.sets, (std::vector<std::string>{"a=1", "b=2"}));
  EXPECT_TRUE(values.detach);
  EXPECT_EQ(values.port, 7);
  EXPECT_EQ(values.bytes, 2048);
}

TEST(Flags, BadValueIsUsageError) {
  const std::vector<std::vector<std::string>> lines = {
      {},                               // no JOB
      {"a", "b"},                       // one argument too many
      {"a", "--port", "high"},          // not a number
      {"a", "--port", "65536"},         // out of range
      {"a", "--port"},                  // no value
      {"a", "--memory", "lots"},        //
      {"a", "--nothing-like-it-here"},  //
      {"a", "-x"},
  };
  for (const auto& words : lines) {
    Values values;
    const Status status = Parse(words, values);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument)
        << (words.empty() ? "" : words.back());
    EXPECT_EQ(ExitCodeFor(status), kUsage);
  }
}

TEST(Flags, TooLargeNumberIsUsageError) {
  const auto parse = [](const std::string& word, int64_t& value) {
    Flags flags("dl-submit test", "Test");
    flags.Integer("--pin", "ROUND", value, "Round", 0, INT64_MAX);
    return flags.Parse({"--pin", word});
  };
  int64_t value = 0;
  DL_EXPECT_OK(parse("9223372036854775807", value));
  EXPECT_EQ(value, INT64_MAX);
  EXPECT_THAT(parse("99999999999999999999", value),
              IsError(absl::StatusCode::kInvalidArgument, "99999999999999999999 is not between"));
  EXPECT_THAT(parse("-1", value), IsError(absl::StatusCode::kInvalidArgument, "-1 is not between"));
  for (const char* word : {"1.5", "0x10", "7_000", "1e3", " 7"})
    EXPECT_THAT(parse(word, value), IsError(absl::StatusCode::kInvalidArgument, "whole number"));
}

TEST(Flags, SizesHaveSuffixes) {
  const auto parse = [](const std::string& word, int64_t& value) {
    Values values;
    const Status status = Parse({"a", "--memory", word}, values);
    value = values.bytes;
    return status;
  };
  int64_t value = 0;
  for (const auto& [word, bytes] :
       std::vector<std::pair<std::string, int64_t>>{{"0", 0},
                                                    {"7b", 7},
                                                    {"3k", 3072},
                                                    {"512M", 512 << 20},
                                                    {"2GiB", 2LL << 30},
                                                    {"5g", 5LL << 30},
                                                    {"1048576", 1 << 20},
                                                    {"1TB", 1LL << 40}}) {
    DL_EXPECT_OK(parse(word, value));
    EXPECT_EQ(value, bytes) << word;
  }
  // A number without a unit is an error, because bytes are rarely meant.
  for (const char* word : {"5", "8", "512", "1048575"})
    EXPECT_THAT(parse(word, value), IsError(absl::StatusCode::kInvalidArgument, "has no unit"));
  for (const char* word : {"5X", "-1", "G", "1.5G", "5iB", "1 G"})
    EXPECT_THAT(parse(word, value), IsError(absl::StatusCode::kInvalidArgument, "512M or 8G"));
  for (const char* word : {"99999999999999999999", "9999999999G"})
    EXPECT_THAT(parse(word, value), IsError(absl::StatusCode::kInvalidArgument, "more bytes"));
}

// So a file whose name begins with "-" can be named.
TEST(Flags, WordsAfterTwoDashesAreNoFlags) {
  Values values;
  DL_ASSERT_OK(Parse({"-d", "--", "-job.json"}, values));
  EXPECT_EQ(values.job, "-job.json");
  EXPECT_TRUE(values.detach);
  values = {};
  DL_ASSERT_OK(Parse({"--", "--help"}, values));
  EXPECT_EQ(values.job, "--help");
  values = {};
  DL_ASSERT_OK(Parse({"job", "--"}, values));
  EXPECT_THAT(Parse({"--", "job", "--port"}, values),
              IsError(absl::StatusCode::kInvalidArgument, "\"--port\" is unexpected"));
  EXPECT_THAT(Parse({"--prot", "7", "--", "job"}, values),
              IsError(absl::StatusCode::kInvalidArgument, "there is no flag --prot"));
}

// "--epochs $N" with an empty N must not mean the default.
TEST(Flags, EmptyValueIsUsageError) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"a", "--master", ""}, {"a", "--master="}, {""}}) {
    Values values;
    EXPECT_EQ(ExitCodeFor(Parse(words, values)), kUsage) << words.back();
  }
}

TEST(Flags, UnknownChoiceIsUsageError) {
  const auto parse = [](const std::string& word, std::string& value) {
    Flags flags("dl-submit test", "Test");
    flags.Choice("--format", "FORMAT", value, {"safetensors", "npz"}, "Format");
    return flags.Parse({"--format", word});
  };
  std::string value;
  DL_EXPECT_OK(parse("npz", value));
  EXPECT_EQ(value, "npz");
  const Status status = parse("safetensor", value);
  EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, "did you mean \"safetensors\""));
  EXPECT_EQ(ExitCodeFor(status), kUsage);
}

TEST(Flags, WordsAfterTwoDashesGoToJobProgram) {
  std::string job;
  std::vector<std::string> rest;
  const auto parse = [&](std::vector<std::string> words) {
    Flags flags("dl-submit run", "x");
    flags.Positional("JOB", job, "x", Flags::Need::kRequired);
    flags.SetRemainder(rest);
    return flags.Parse(std::move(words));
  };
  DL_ASSERT_OK(parse({"job", "--", "--depth", "3"}));
  EXPECT_EQ(job, "job");
  EXPECT_EQ(rest, (std::vector<std::string>{"--depth", "3"}));
  rest.clear();
  DL_ASSERT_OK(parse({"--", "-odd.json", "x", "--"}));
  EXPECT_EQ(job, "-odd.json");
  EXPECT_EQ(rest, (std::vector<std::string>{"x", "--"}));
  rest.clear();
  EXPECT_THAT(parse({"job", "other"}),
              IsError(absl::StatusCode::kInvalidArgument, "is unexpected"));
}

TEST(Flags, OneLetterFlagGetsNoSuggestion) {
  Values values;
  const Status other = Parse({"a", "-x"}, values);
  EXPECT_EQ(std::string(other.message()).find("did you mean"), std::string::npos) << other;
  EXPECT_THAT(Parse({"a", "-D"}, values),
              IsError(absl::StatusCode::kInvalidArgument, "did you mean \"-d\""));
}

TEST(Flags, FlagOfOtherCommandNamesCommand) {
  for (const auto& command : AllCommands()) {
    if (command->name() != "run") continue;
    Flags flags("dl-submit run", "x");
    command->Declare(flags);
    for (const char* name : {"-d", "--detach"}) {
      const Status status = flags.Parse({"job.json", name});
      EXPECT_EQ(ExitCodeFor(status), kUsage);
      EXPECT_NE(ErrorRemedy(status).find("dl-submit submit -d"), std::string::npos) << status;
    }
  }
}

TEST(Flags, UnknownFlagGetsSuggestion) {
  Values values;
  EXPECT_THAT(Parse({"a", "--mastr", "x"}, values),
              IsError(absl::StatusCode::kInvalidArgument, "did you mean \"--master\""));
  EXPECT_THAT(Parse({"--detatch"}, values),
              IsError(absl::StatusCode::kInvalidArgument, "--detach"));
}

}  // namespace
}  // namespace dl::cli
