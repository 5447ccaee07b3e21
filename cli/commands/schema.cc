// The command `schema`: prints JSON Schemas of the output of commands.
#include <algorithm>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/help/output_schema.h"
#include "cli/nearest_name.h"
#include "job/spec_schema.h"

namespace dl::cli {
namespace {

constexpr char kJobSpecs[] = "job";  // no command has this name

class SchemaCommand final : public Command {
 public:
  std::string_view name() const override { return "schema"; }
  std::string_view json_lines() const override { return "SchemaDocument"; }
  std::string_view summary() const override {
    return "Print the JSON Schema of job specs, or of what a command prints with --json";
  }
  std::string_view examples() const override {
    return "  dl-submit schema status > status.schema.json\n"
           "  dl-submit schema             # all commands: $defs has each one by its name\n"
           "  dl-submit schema job > job.schema.json   # job specs, for editors and scripts\n"
           "Each line of the output of a command fits its schema (draft 2020-12).";
  }
  void Declare(Flags& flags) override {
    flags.Positional("COMMAND", command_, "Command, or job for job specs. Default: all commands.",
                     Flags::Need::kOptional);
    std::vector<std::string> names = {kJobSpecs};
    for (const auto& command : AllCommands()) {
      if (!command->json_lines().empty()) names.emplace_back(command->name());
    }
    flags.SetCompletions("COMMAND", std::move(names));
    flags.Switch("--json", json_, "Print one line, also on a terminal");
  }
  bool PrintsJson() const override { return true; }

  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(const Json schema, Schema());
    const bool in_one_line = json_ || !context.out_on_terminal;
    context.out << (in_one_line ? schema.dump() : schema.dump(2)) << std::endl;
    return kSuccess;
  }

 private:
  StatusOr<Json> Schema() const {
    const std::vector<CommandEntry> commands = CommandTable();
    if (command_.empty()) return OutputSchemas(commands);
    if (command_ == kJobSpecs) return job::SpecSchema();
    std::vector<std::string> names = {kJobSpecs};
    for (const CommandEntry& command : commands) {
      if (!command.json_lines.empty()) names.push_back(command.name);
    }
    const auto found = std::ranges::find(commands, command_, &CommandEntry::name);
    if (found == commands.end()) {
      return UsageError({.message = absl::StrCat("there is no command \"", command_, "\"",
                                                 DidYouMeanName(command_, names)),
                         .where = "COMMAND",
                         .remedy = "See dl-submit --help"});
    }
    if (found->json_lines.empty()) {
      return UsageError({.message = absl::StrCat(command_, " prints no JSON"),
                         .where = "COMMAND",
                         .remedy = "Name another command, or none for all"});
    }
    return OutputSchema(*found);
  }

  std::string command_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeSchema() { return std::make_unique<SchemaCommand>(); }

}  // namespace dl::cli
