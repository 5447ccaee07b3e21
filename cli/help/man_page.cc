#include "cli/help/man_page.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cli/environment.h"
#include "launch/version.h"

namespace dl::cli {
namespace {

struct CodeMeaning {
  int code;
  const char* meaning;
};
// A test compares the codes with docs/operations/commands.md.
constexpr CodeMeaning kCodeMeanings[] = {
    {0, "The job SUCCEEDED, or the command did what it was asked."},
    {1, "The job FAILED, or the request is not possible."},
    {2, "Wrong command line."},
    {3, "The job was cancelled."},
    {4, "No such job, checkpoint, program, file or data folder."},
    {65, "Bad data."},
    {69, "The master or Slurm cannot be reached."},
    {70, "A bug of Paravane."},
    {74, "Input or output failed."},
    {75, "Try again later: a folder, port or queue is in use."},
    {76, "Versions do not fit."},
    {77, "Access denied."},
    {78, "Invalid configuration."},
    {124, "The --timeout of wait is over."},
    {129, "SIGHUP stopped the command."},
    {130, "SIGINT (Ctrl-C) stopped the command."},
    {138, "SIGUSR1 stopped the command."},
    {140, "SIGUSR2 stopped the command."},
    {143, "SIGTERM stopped the command."},
    {152, "SIGXCPU (ulimit -t) stopped the command."}};

// Returns the text as it is: no character is a request or an escape.
std::string Roff(const std::string& text) {
  std::string escaped = absl::StrReplaceAll(text, {{"\\", R"(\e)"},
                                                   {"-", R"(\-)"},
                                                   {"~", R"(\(ti)"},
                                                   {"'", R"(\(aq)"},
                                                   {"`", R"(\(ga)"},
                                                   {"^", R"(\(ha)"}});
  if (escaped.starts_with(".")) escaped.insert(0, R"(\&)");
  return escaped;
}

std::string Bold(const std::string& text) { return absl::StrCat("\\fB", Roff(text), "\\fR"); }
std::string Italic(const std::string& text) { return absl::StrCat("\\fI", Roff(text), "\\fR"); }

std::string Title(const std::string& name) {
  return absl::StrCat(".TH ", absl::AsciiStrToUpper(name), " 1 ", launch::kVersionDate,
                      " \"Paravane ", launch::kVersion, "\" \"User Commands\"\n");
}

std::string NameSection(const std::string& name, const std::string& summary) {
  return absl::StrCat(".SH NAME\n", Roff(name), " \\- ", Roff(summary), "\n");
}

// Returns lines that are shown unchanged.
std::string Verbatim(const std::string& text) {
  std::string lines = ".nf\n";
  for (const absl::string_view line : absl::StrSplit(text, '\n'))
    absl::StrAppend(&lines, Roff(std::string(line)), "\n");
  return lines + ".fi\n";
}

std::string Item(const std::string& term, const std::string& text) {
  return absl::StrCat(".TP\n", term, "\n", Roff(text), "\n");
}

std::string SynopsisOf(const CommandEntry& command, const std::string& program) {
  std::string text = absl::StrCat(Bold(program), " [", Italic("FLAG"), "]...");
  for (const Flags::Argument& argument : command.arguments) {
    if (argument.kind != Flags::Argument::Kind::kPositional) continue;
    const std::string name =
        absl::StrCat(Italic(argument.names.front()), argument.repeated ? "..." : "");
    absl::StrAppend(&text, " ", argument.required ? name : absl::StrCat("[", name, "]"));
  }
  return text + "\n";
}

std::string TermOf(const Flags::Argument& argument) {
  std::vector<std::string> names;
  for (const std::string& name : argument.names) names.push_back(Bold(name));
  std::string term = absl::StrJoin(names, ", ");
  if (!argument.metavar.empty()) absl::StrAppend(&term, " ", Italic(argument.metavar));
  return term;
}

std::string ArgumentSections(const CommandEntry& command) {
  std::string positional, flags;
  for (const Flags::Argument& argument : command.arguments) {
    if (argument.kind == Flags::Argument::Kind::kPositional)
      positional += Item(Italic(argument.names.front()), argument.help);
    else
      flags += Item(TermOf(argument), argument.help);
  }
  return absl::StrCat(positional.empty() ? "" : ".SH ARGUMENTS\n", positional, ".SH OPTIONS\n",
                      flags);
}

std::string EnvironmentSection() {
  std::string text = ".SH ENVIRONMENT\n";
  for (const EnvironmentVariable& variable : EnvironmentVariables()) {
    if (variable.reader != EnvironmentVariable::Reader::kEveryone) continue;
    text += Item(Bold(variable.name), absl::StrReplaceAll(variable.meaning, {{"`", ""}}));
  }
  return text;
}

}  // namespace

std::string OverviewPage(const std::vector<CommandEntry>& commands) {
  std::string text = absl::StrCat(
      Title("dl-submit"),
      NameSection("dl-submit", "train neural networks on clusters by parameter averaging"),
      ".SH SYNOPSIS\n", Bold("dl-submit"), " ", Italic("COMMAND"), " [", Italic("ARGUMENT"),
      "]...\n.SH DESCRIPTION\n",
      Roff("Paravane trains neural networks on a cluster by parameter averaging. Results do not "
           "depend on the number of machines."),
      "\n.PP\n",
      Roff("A first word that starts with - or contains / or . means submit. dl-submit COMMAND "
           "--help prints the help of a command."),
      "\n.SH COMMANDS\n");
  for (const CommandEntry& command : commands) {
    absl::StrAppend(&text, ".TP\n.BR ", Roff("dl-submit-" + command.name), " (1)\n",
                    Roff(command.summary), "\n");
  }
  text += EnvironmentSection();
  absl::StrAppend(&text, ".SH FILES\n",
                  Item(Italic("~/.config/paravane/config.json"), "Settings of the user."),
                  Item(Italic("~/.local/state/paravane"), "Data folder of local masters."),
                  ".SH EXIT STATUS\n");
  for (const CodeMeaning& row : kCodeMeanings)
    text += Item(Bold(absl::StrCat(row.code)), row.meaning);
  return text + ".SH EXAMPLES\n" +
         Verbatim(
             "dl-submit run --master 'local[2]' lenet_fashion_mnist\n"
             "dl-submit list\n"
             "dl-submit history lenet5-1");
}

std::string CommandPage(const CommandEntry& command, const std::string& program) {
  const std::string name = absl::StrReplaceAll(program, {{" ", "-"}});
  return absl::StrCat(Title(name), NameSection(name, command.summary), ".SH SYNOPSIS\n",
                      SynopsisOf(command, program), ArgumentSections(command), ".SH EXAMPLES\n",
                      Verbatim(command.examples), ".SH SEE ALSO\n.BR dl\\-submit (1)",
                      command.json_lines.empty() ? "\n" : ",\n.BR dl\\-submit\\-schema (1)\n");
}

std::vector<ManPage> AllManPages(const std::vector<CommandEntry>& commands) {
  std::vector<ManPage> pages = {{.file = "dl-submit.1", .text = OverviewPage(commands)}};
  for (const CommandEntry& command : commands) {
    pages.push_back({.file = absl::StrCat("dl-submit-", command.name, ".1"),
                     .text = CommandPage(command, "dl-submit " + command.name)});
    if (command.name == "master" || command.name == "executor") {
      pages.push_back({.file = absl::StrCat("dl-", command.name, ".1"),
                       .text = CommandPage(command, "dl-" + command.name)});
    }
  }
  return pages;
}

}  // namespace dl::cli
