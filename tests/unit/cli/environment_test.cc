#include "cli/environment.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "cli/exit_code.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::cli {
namespace {

using test::IsError;

std::string Text(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Environment, MisspelledVariableIsErrorWithSuggestion) {
  const Status status = CheckEnvironment({{"DL_EPOCH", "3"}, {"HOME", "/root"}});
  EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, "did you mean \"DL_EPOCHS\""));
  EXPECT_EQ(ErrorWhere(status), "environment DL_EPOCH");
  EXPECT_FALSE(ErrorRemedy(status).empty());
  EXPECT_EQ(ExitCodeFor(status), kInvalidConfig);
  EXPECT_FALSE(CheckEnvironment({{"DL_EPOCH", ""}}).ok()) << "empty, and still a mistake";
}

TEST(Environment, EveryKnownVariableIsAccepted) {
  std::map<std::string, std::string> environment;
  for (const EnvironmentVariable& variable : EnvironmentVariables())
    environment[variable.name] = variable.name == "DL_LOG"              ? "debug"
                                 : variable.name == "DL_TERMINAL_TITLE" ? "off"
                                                                        : "1";
  DL_EXPECT_OK(CheckEnvironment(environment));
}

// The variable belongs to another program or is no longer read, which is no reason to stop.
TEST(Environment, UnknownVariableIsWarning) {
  for (const char* name :
       {"DL_DIR", "DL_HOME", "DL_PATH", "DL_FOO", "DL_BINS", "DL_ANYTHING_ELSE"}) {
    DL_EXPECT_OK(CheckEnvironment({{name, "x"}}));
    EXPECT_EQ(UnreadVariables({{name, "x"}, {"DL_EPOCHS", "3"}, {"HOME", "/"}}),
              std::vector<std::string>{name});
  }
  for (const char* name : {"DL_MASTR", "DL_ISAS", "DL_SEDE", "DL_DATADIR", "DL_LOGS", "DL_WORKER"})
    EXPECT_FALSE(CheckEnvironment({{name, "x"}}).ok()) << name;
}

TEST(Environment, ValueMustBeUtf8) {
  const Status status = CheckEnvironment({{"DL_NAME", "\xff"}});
  EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, "not UTF-8"));
  EXPECT_EQ(ErrorWhere(status), "environment DL_NAME");
}

TEST(Environment, TerminalTitleIsChecked) {
  DL_EXPECT_OK(CheckEnvironment({{"DL_TERMINAL_TITLE", ""}}));
  const Status status = CheckEnvironment({{"DL_TERMINAL_TITLE", "no"}});
  EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, "\"no\" is not \"off\""));
  EXPECT_EQ(ErrorWhere(status), "environment DL_TERMINAL_TITLE");
}

TEST(Environment, LogLevelIsChecked) {
  EXPECT_THAT(CheckEnvironment({{"DL_LOG", "debgu"}}),
              IsError(absl::StatusCode::kInvalidArgument, "did you mean \"debug\""));
  DL_EXPECT_OK(CheckEnvironment({{"DL_LOG", ""}}));
}

// docs/operations/settings.md must list the same variables as the check.
TEST(Environment, DocumentListsEachVariableOnce) {
  std::istringstream document(Text(DL_SOURCE_FOLDER "/docs/operations/settings.md"));
  std::vector<std::string> documented, expected;
  bool inside = false;
  for (std::string line; std::getline(document, line);) {
    if (line == "| Variable | Meaning |") {
      inside = true;
    } else if (!line.starts_with("|")) {
      inside = false;
    } else if (inside && !line.starts_with("|---")) {
      documented.push_back(line);
    }
  }
  for (const EnvironmentVariable& variable : EnvironmentVariables())
    expected.push_back(MarkdownRow(variable));
  EXPECT_EQ(documented, expected);
}

// The table contains every variable that the sources read or set, except for variables that tests
// set for their own children.
TEST(Environment, TableListsVariablesOfSources) {
  namespace fs = std::filesystem;
  std::vector<std::string> known;
  for (const EnvironmentVariable& variable : EnvironmentVariables()) known.push_back(variable.name);
  const std::regex use("(?:getenv|setenv|FromEnvironment)\\(\"(DL_[A-Z_]+)\"");
  int found = 0;
  for (fs::recursive_directory_iterator it(DL_SOURCE_FOLDER), end; it != end; ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory() && (name == "build" || name.starts_with("."))) {
      it.disable_recursion_pending();
      continue;
    }
    if (!name.ends_with(".cc") || name == "process_test.cc") continue;
    const std::string text = Text(it->path());
    for (std::sregex_iterator match(text.begin(), text.end(), use), none; match != none; ++match) {
      ++found;
      EXPECT_NE(std::find(known.begin(), known.end(), (*match)[1]), known.end())
          << (*match)[1] << " in " << it->path() << " is not in cli/environment.cc";
    }
  }
  EXPECT_GT(found, 5);
}

}  // namespace
}  // namespace dl::cli
