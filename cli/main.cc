#include "cli/main.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <exception>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/log.h"
#include "base/machine_memory.h"
#include "base/open_files.h"
#include "base/process_end.h"
#include "base/suggest.h"
#include "base/trace.h"
#include "cli/command.h"
#include "cli/data/data_output.h"
#include "cli/environment.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_source.h"
#include "cli/output/error_report.h"
#include "cli/output/printable_stream.h"
#include "launch/process_setup.h"

extern char** environ;

namespace dl::cli {
namespace {

std::map<std::string, std::string> Environment() {
  std::map<std::string, std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = text.substr(0, equals);
    if (name.starts_with("DL_") || name == "HOME" || name == "TERM" || name == "NO_COLOR")
      environment.emplace(name, text.substr(equals + 1));
  }
  return environment;
}

int TerminalColumns() {
  winsize size = {};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string Overview(const std::vector<std::unique_ptr<Command>>& commands) {
  std::string text =
      "Paravane trains neural networks on a cluster by parameter averaging. Results do not depend "
      "on the number of machines.\n"
      "\n"
      "Usage: dl-submit COMMAND ...\n"
      "       dl-submit COMMAND --help   (or: dl-submit help COMMAND)\n"
      "\n"
      "Commands:\n";
  for (const auto& command : commands) {
    absl::StrAppendFormat(&text, "  %-12s %s\n", std::string(command->name()),
                          std::string(command->summary()));
  }
  return text +
         "\nA first word that starts with \"-\" or contains \"/\" or \".\" means "
         "submit.\nMost commands print JSON with --json; dl-submit schema COMMAND describes it.\n"
         "\nExamples:\n"
         "  dl-submit run --master 'local[2]' lenet_fashion_mnist\n"
         "  dl-submit run --master 'local-cluster[3]' job.json --json\n"
         "  dl-submit list\n";
}

enum class Report { kPeople, kJson };

int Fail(const Status& status, Report report, const std::string& job = "") {
  if (report == Report::kJson) {
    std::cout << JsonText(ErrorResult(status, job)) << std::endl;
  }
  std::cerr << FormatError(status) << std::flush;
  return ExitCodeFor(status);
}

// Returns the output form that a command line asks for, also if it cannot be parsed.
Report RequestedReport(const std::vector<std::string>& words) {
  const auto flags_end = std::find(words.begin(), words.end(), "--");
  return std::find(words.begin(), flags_end, "--json") != flags_end ? Report::kJson
                                                                    : Report::kPeople;
}

int PrintText(const std::string& text) {
  std::cout << text << std::flush;
  const Status status = CheckOutput(std::cout);
  return status.ok() ? kSuccess : Fail(status, Report::kPeople);
}

// How this process reports an error that ends it from any thread.
std::atomic<Report> report_of_process{Report::kPeople};
int ReportEnd(const Status& status) { return Fail(status, report_of_process); }

// Converts exceptions of libraries, for example about lack of memory, to errors.
StatusOr<int> RunWithoutExceptions(Command& command, Context& context) {
  try {
    return command.Run(context);
  } catch (const std::exception& exception) {
    return StatusFromException(exception);
  }
}

int RunCommand(Command& command, const std::string& program, std::vector<std::string> words) {
  Flags flags(program, std::string(command.summary()));
  command.Declare(flags);
  flags.Footer(absl::StrCat("Examples:\n", std::string(command.examples())));
  const Report report = command.PrintsJson() ? Report::kJson : RequestedReport(words);
  report_of_process = report;
  if (Status status = flags.Parse(std::move(words)); !status.ok()) return Fail(status, report);
  if (flags.help_wanted()) {
    return PrintText(flags.Help());
  }
  const std::map<std::string, std::string> environment = Environment();
  if (Status status = CheckEnvironment(environment); !status.ok()) return Fail(status, report);
  for (const std::string& name : UnreadVariables(environment))
    std::cerr << "warning: nothing reads the variable " << name << std::endl;
  const auto traced = environment.find("DL_TRACE");
  const TraceFile trace(traced == environment.end() ? "" : traced->second);
  auto folder = ProgramFolder();
  if (!folder.ok()) return Fail(folder.status(), report);
  const bool terminal = isatty(STDERR_FILENO) != 0;
  PrintableStream out(std::cout), err(std::cerr);
  const bool out_on_terminal = isatty(STDOUT_FILENO) != 0;
  Context context{.program_folder = *folder,
                  .environment = environment,
                  .out = out,
                  .err = err,
                  .data = out_on_terminal ? &out : &std::cout,
                  .screen = &std::cout,
                  .bar = &std::cerr,
                  .progress_on_terminal = terminal,
                  .out_on_terminal = out_on_terminal,
                  .columns = TerminalColumns};
  // Daemons write a log. For other commands their output is enough, unless the user asks for more.
  const bool daemon = command.name() == "master" || command.name() == "executor";
  if (!daemon && !context.environment.contains("DL_LOG")) SetLogLevel(LogLevel::kWarning);
  if (command.Computes() || daemon) {
    if (Status status = PrepareForAddressSpaceLimit(); !status.ok()) return Fail(status, report);
    // Without executors, a master has some connections of the user's commands.
    constexpr int64_t kConnectionsOfCommands = 7;
    if (Status status = RequireConnections(kConnectionsOfCommands); !status.ok())
      return Fail(status, report);
  }
  const StatusOr<int> code = RunWithoutExceptions(command, context);
  if (!code.ok()) return Fail(code.status(), report, command.job());
  out.flush();
  if (Status status = CheckOutput(out); !status.ok()) return Fail(status, Report::kPeople);
  return *code;
}

}  // namespace

namespace {

// Returns a suggestion for names that other tools use.
std::string NearestCommand(const std::string& word, const std::vector<std::string>& commands) {
  static const std::map<std::string_view, std::string_view> kElsewhere = {
      {"train", "run"},       {"fit", "run"},       {"start", "run"},     {"jobs", "list"},
      {"ls", "list"},         {"ps", "list"},       {"show", "status"},   {"info", "status"},
      {"stop", "cancel"},     {"kill", "cancel"},   {"rm", "delete"},     {"log", "logs"},
      {"tail", "logs"},       {"follow", "attach"}, {"watch", "attach"},  {"restart", "resume"},
      {"continue", "resume"}, {"test", "evaluate"}, {"eval", "evaluate"}, {"save", "export"},
      {"download", "export"}, {"load", "import"},   {"upload", "import"}, {"worker", "executor"},
      {"slave", "executor"},  {"server", "master"}};
  if (const auto found = kElsewhere.find(word); found != kElsewhere.end()) {
    for (const std::string& command : commands) {
      if (command == found->second) return absl::StrCat("; did you mean \"", command, "\"?");
    }
  }
  return DidYouMean(word, commands);
}

Status NoSuchCommand(const std::string& word, const std::vector<std::string>& commands) {
  return UsageError({.message = absl::StrCat("there is no command \"", word, "\"",
                                             NearestCommand(word, commands)),
                     .where = "dl-submit",
                     .remedy = "See dl-submit --help; a job is started with dl-submit run JOB"});
}

}  // namespace

StatusOr<CommandLine> SplitCommandLine(std::vector<std::string> words,
                                       const std::vector<std::string>& commands) {
  if (words.empty()) return CommandLine{"help", {}};
  const std::string first = words.front();
  if (first == "help" && words.size() > 1 && !words[1].starts_with("-")) {
    if (std::find(commands.begin(), commands.end(), words[1]) == commands.end())
      return NoSuchCommand(words[1], commands);
    return CommandLine{words[1], {"--help"}};
  }
  if (first == "-h" || first == "--help" || first == "help") return CommandLine{"help", {}};
  if (first == "--version") return CommandLine{"version", {}};
  if (std::find(commands.begin(), commands.end(), first) != commands.end()) {
    words.erase(words.begin());
    return CommandLine{first, std::move(words)};
  }
  if (first.starts_with("-") || first.find_first_of("/.") != std::string::npos) {
    return CommandLine{"submit", std::move(words)};
  }
  return NoSuchCommand(first, commands);
}

int Main(int argc, char** argv, std::string_view fixed_command) {
  launch::ReserveStandardDescriptors();
  SetEndReporter(ReportEnd);
  EndProcessOnUncaughtExceptions();
  std::signal(SIGXFSZ, SIG_IGN);  // ulimit -f: a write fails instead
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error with a message: CheckOutput
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const std::vector<std::unique_ptr<Command>> commands = AllCommands();
  std::vector<std::string> names;
  for (const auto& command : commands) names.emplace_back(command->name());
  StatusOr<CommandLine> line = CommandLine{std::string(fixed_command), words};
  if (fixed_command.empty()) line = SplitCommandLine(words, names);
  if (!line.ok()) return Fail(line.status(), RequestedReport(words));
  if (line->command == "help") {
    return PrintText(Overview(commands));
  }
  const auto found = std::find(names.begin(), names.end(), line->command);
  const std::string program =
      fixed_command.empty() ? "dl-submit " + line->command : absl::StrCat("dl-", line->command);
  Command& command = *commands[found - names.begin()];
  // Restarting takes as long as many commands that only read, so they skip it.
  if (command.Computes()) launch::ReexecWithPassiveOpenMp(argv);
  return RunCommand(command, program, std::move(line->words));
}

}  // namespace dl::cli
