// The commands `completion` and `man`: texts that are generated from the declarations of commands.
#include "cli/help/completion.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/help/man_page.h"
#include "cli/nearest_name.h"

namespace dl::cli {
namespace {

class CompletionCommand final : public Command {
 public:
  std::string_view name() const override { return "completion"; }
  std::string_view json_lines() const override { return ""; }
  std::string_view summary() const override {
    return "Print a script that completes commands, flags and jobs in a shell";
  }
  std::string_view examples() const override {
    return "  source <(dl-submit completion bash)\n"
           "  dl-submit completion zsh > ~/.zfunc/_dl-submit     # a folder of fpath\n"
           "  dl-submit completion fish > ~/.config/fish/completions/dl-submit.fish";
  }
  void Declare(Flags& flags) override {
    flags.Positional("SHELL", shell_, "bash, zsh or fish", Flags::Need::kRequired);
    flags.SetCompletions("SHELL", {"bash", "zsh", "fish"});
  }
  StatusOr<int> Run(Context& context) override {
    const std::vector<CommandEntry> commands = CommandTable();
    std::ostream& out = context.data == nullptr ? context.out : *context.data;
    if (shell_ == "bash") {
      out << BashCompletion(commands);
    } else if (shell_ == "zsh") {
      out << ZshCompletion(commands);
    } else if (shell_ == "fish") {
      out << FishCompletion(commands);
    } else {
      return UsageError({.message = absl::StrCat("there is no completion for \"", shell_, "\"",
                                                 DidYouMeanName(shell_, {"bash", "zsh", "fish"})),
                         .where = "SHELL",
                         .remedy = "Use bash, zsh or fish"});
    }
    out << std::flush;
    return kSuccess;
  }

 private:
  std::string shell_;
};

class ManCommand final : public Command {
 public:
  std::string_view name() const override { return "man"; }
  std::string_view json_lines() const override { return ""; }
  std::string_view summary() const override {
    return "Print the manual page of dl-submit or of a command";
  }
  std::string_view examples() const override {
    return "  dl-submit man run | man -l -\n"
           "  dl-submit man --output man/man1      # the pages of all commands";
  }
  void Declare(Flags& flags) override {
    flags.Positional("COMMAND", command_, "Command. Default: dl-submit itself.",
                     Flags::Need::kOptional);
    flags.Text("-o,--output", "DIR", output_,
               "Write the pages of all commands into this folder, which must exist");
  }
  StatusOr<int> Run(Context& context) override {
    const std::vector<CommandEntry> commands = CommandTable();
    if (!output_.empty()) {
      if (!command_.empty())
        return UsageError({.message = "--output writes the pages of all commands",
                           .where = "--output",
                           .remedy = "Leave out COMMAND or --output"});
      for (const ManPage& page : AllManPages(commands))
        DL_RETURN_IF_ERROR(AtomicWriteFile(absl::StrCat(output_, "/", page.file), page.text));
      return kSuccess;
    }
    std::ostream& out = context.data == nullptr ? context.out : *context.data;
    DL_ASSIGN_OR_RETURN(const std::string page, PageOf(commands));
    out << page << std::flush;
    return kSuccess;
  }

 private:
  StatusOr<std::string> PageOf(const std::vector<CommandEntry>& commands) const {
    if (command_.empty()) return OverviewPage(commands);
    const auto found = std::ranges::find(commands, command_, &CommandEntry::name);
    if (found != commands.end()) return CommandPage(*found, "dl-submit " + command_);
    std::vector<std::string> names;
    for (const CommandEntry& command : commands) names.push_back(command.name);
    return UsageError({.message = absl::StrCat("there is no command \"", command_, "\"",
                                               DidYouMeanName(command_, names)),
                       .where = "COMMAND",
                       .remedy = "See dl-submit --help"});
  }

  std::string command_, output_;
};

}  // namespace

std::unique_ptr<Command> MakeCompletion() { return std::make_unique<CompletionCommand>(); }
std::unique_ptr<Command> MakeMan() { return std::make_unique<ManCommand>(); }

}  // namespace dl::cli
