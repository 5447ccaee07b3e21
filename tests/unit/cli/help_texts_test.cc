// The language of `--help`: one form for all commands, each text readable alone.
#include <regex>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/command.h"
#include "gtest/gtest.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

struct Rule {
  const char* fault;
  const char* pattern;  // matches a text with the fault
};

// Each rule has a text with the fault in HelpTexts.EachRuleFindsItsFault.
const std::vector<Rule>& Rules() {
  static const auto& rules = *new std::vector<Rule>{
      {"begins with a word that needs another text",
       R"(^(Of|Its|Their|That|Those|This|These|The same|It|Likewise|So|What|Who|Whose|Where|Let|Be)\b)"},
      {"has a default or a variable in parentheses; write \"Default: X.\", \"Environment: DL_X.\"",
       R"(\((DL_|default|\d+[A-Za-z]*\)|never|for ever|the |[^)]*'s default))"},
      {"names a variable without \"Environment: \"", R"((^|[^ ]|[^:] )DL_)"},
      {"has no period after its last sentence", R"(\. [A-Z].*[^.]$)"},
      {"says a word that has a plainer name",
       R"(\b(behind|anew|go(es)? on|mended|whoever|nobody|likewise|so many|likeliest)\b)"},
      {"says \"alone\" for \"only\"", R"(\balone\b)"},
      {"says \"as 512M\" for \"for example 512M\"", R"((^|[^h]) as '?(\d|ssh))"},
  };
  return rules;
}

std::vector<std::string> FaultsOf(const std::string& text) {
  std::vector<std::string> faults;
  for (const Rule& rule : Rules()) {
    if (std::regex_search(text, std::regex(rule.pattern))) faults.emplace_back(rule.fault);
  }
  return faults;
}

// Returns the summary and the text of each flag and positional argument.
std::vector<std::string> TextsOfHelp(const std::string& help) {
  constexpr size_t kColumn = 30;  // the texts begin here
  const std::vector<std::string> lines = absl::StrSplit(help, '\n');
  std::vector<std::string> texts = {lines.front()};
  for (const std::string& line : lines) {
    if (line == "Examples:") break;
    if (!line.starts_with("  ")) continue;
    // A name that is too long has a line of its own.
    const size_t gap = line.find("  ", 2);
    if (gap != line.npos && line.size() > kColumn)
      texts.emplace_back(absl::StripAsciiWhitespace(line.substr(gap)));
  }
  return texts;
}

TEST(HelpTexts, EveryTextHasTheCommonForm) {
  int64_t count = 0;
  for (const auto& command : AllCommands()) {
    const Ended ended = DlSubmit({std::string(command->name()), "--help"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    for (const std::string& text : TextsOfHelp(ended.out)) {
      ++count;
      for (const std::string& fault : FaultsOf(text))
        ADD_FAILURE() << command->name() << " --help: \"" << text << "\" " << fault;
    }
  }
  EXPECT_GT(count, 250) << "texts were not found";
}

TEST(HelpTexts, OverviewHasTheCommonForm) {
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(DlSubmit({"--help"}).out, '\n'))) {
    for (const std::string& fault : FaultsOf(line)) ADD_FAILURE() << "\"" << line << "\" " << fault;
  }
}

TEST(HelpTexts, EachRuleFindsItsFault) {
  const std::vector<std::string> texts = {
      "Of a table: its column", "Port (7077)",
      "Port, else DL_PORT",     "One sentence. Another sentence",
      "Print it anew",          "List jobs of one owner alone",
      "A size, as 512M"};
  ASSERT_EQ(texts.size(), Rules().size());
  for (size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(FaultsOf(texts[i]), std::vector<std::string>{Rules()[i].fault}) << texts[i];
  EXPECT_EQ(FaultsOf("TCP port; 0 selects a free port. Default: 7077. Environment: DL_PORT."),
            std::vector<std::string>());
}

}  // namespace
}  // namespace dl::cli
