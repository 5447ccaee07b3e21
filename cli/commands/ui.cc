// The command `ui`: shows a data folder in a browser.
#include <ostream>

#include "base/json.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/interrupts.h"
#include "inference/serving/served_models.h"
#include "launch/daemons/state_dir.h"
#include "launch/folder_pages.h"
#include "launch/pause.h"

namespace dl::cli {
namespace {

class UiCommand final : public Command {
 public:
  std::string_view name() const override { return "ui"; }
  std::string_view json_lines() const override { return "PagesReady"; }
  std::string_view summary() const override { return "Show a data folder in a browser"; }
  std::string_view examples() const override {
    return "  dl-submit ui                      # the folder of local commands\n"
           "  dl-submit ui copied-folder --http 7080\n"
           "Prints the address of the pages. They only read, also while a master uses the folder. "
           "Ctrl-C ends the command.";
  }
  void Declare(Flags& flags) override {
    flags.Positional("DIR", folder_, "Data folder. Default: that of local commands.",
                     Flags::Need::kOptional);
    flags.Integer("--http", "PORT", port_,
                  "Port of the pages on 127.0.0.1; 0 selects a free port. Default: 0.", 0, 65535);
    cluster_.DeclareOne(
        flags, "--data-dir",
        "Data folder, if DIR is not given. Default: ~/.local/state/paravane. Environment: "
        "DL_DATA_DIR.");
    cluster_.DeclareConfig(flags);
    flags.Switch("--json", json_, "Print the address as a line of JSON");
  }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(const Settings settings, cluster_.Resolve(context));
    std::string folder = folder_;
    if (folder.empty()) {
      DL_ASSIGN_OR_RETURN(folder, launch::StateDir(settings.data_dir.value));
    }
    const Interrupts interrupts;
    const auto models = inference::MakeModelService(inference::Predictions::kOn);
    DL_ASSIGN_OR_RETURN(
        const std::unique_ptr<launch::FolderPages> pages,
        launch::FolderPages::Open(
            {.data_dir = folder, .port = static_cast<int>(port_), .models = models.get()}));
    if (json_) {
      context.out << JsonText({{"type", "ready"}, {"role", "ui"}, {"page", pages->page()}})
                  << std::endl;
    } else {
      context.out << pages->page() << std::endl;
    }
    while (!interrupts.stop()) launch::Pause(std::chrono::milliseconds(100));
    return kSuccess;
  }

 private:
  ClusterFlags cluster_;
  std::string folder_;
  int64_t port_ = 0;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeUi() { return std::make_unique<UiCommand>(); }

}  // namespace dl::cli
