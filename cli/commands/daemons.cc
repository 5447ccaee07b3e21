// The command `daemons`: lists and stops masters and executors on this machine that were started
// with --detach.
#include "launch/daemons/daemons.h"

#include <ostream>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/output/json_fields.h"
#include "cli/output/table.h"
#include "launch/daemons/state_dir.h"

namespace dl::cli {
namespace {

Json ParseOutput(const launch::Daemon& daemon) {
  auto said = ParseJson(daemon.last_line.empty() ? "null" : daemon.last_line, "what a daemon said");
  return said.ok() ? *said : Json();
}

std::string StateOf(const launch::Daemon& daemon) {
  if (daemon.pid == 0) return "ended";
  const std::string type = TextAt(ParseOutput(daemon), "type");
  return type == "ready" || type == "waiting" ? type : "starting";
}

// Returns the state and the reason for it, if the daemon gave one.
std::string StateText(const launch::Daemon& daemon) {
  const Json said = ParseOutput(daemon);
  const Json* error = Member(said, "error");
  const std::string why = error == nullptr ? "" : TextAt(*error, "message");
  return absl::StrCat(StateOf(daemon), why.empty() ? "" : ": ", why);
}

class DaemonsCommand final : public Command {
 public:
  std::string_view name() const override { return "daemons"; }
  std::string_view json_lines() const override { return "Daemon|EndedDaemon"; }
  std::string_view summary() const override {
    return "List or stop background processes of this machine (from --detach and cluster start)";
  }
  std::string_view examples() const override {
    return "  dl-submit daemons\n  dl-submit daemons stop node3   # it first finishes its units";
  }
  void Declare(Flags& flags) override {
    flags.Positional("ACTION", action_, "stop; without an action, the processes are listed",
                     Flags::Need::kOptional);
    flags.SetCompletions("ACTION", {"stop"});
    flags.Positional("NAME", name_, "After stop: name of the process, as listed",
                     Flags::Need::kOptional);
    cluster_.DeclareOne(flags, "--data-dir");
    cluster_.DeclareConfig(flags);
    flags.Switch("--json", json_, "Print JSON");
  }
  StatusOr<int> Run(Context& context) override {
    DL_RETURN_IF_ERROR(CheckWords());
    DL_ASSIGN_OR_RETURN(const Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(const std::string state_dir, launch::StateDir(settings.data_dir.value));
    launch::Daemons daemons(state_dir);
    if (action_.empty()) return List(daemons, context);
    DL_RETURN_IF_ERROR(daemons.Stop(name_, limits::kStopDaemonTimeout));
    if (json_) {
      context.out << JsonText({{"daemon", name_}, {"state", "ended"}}) << std::endl;
    } else {
      context.err << name_ << " has ended" << std::endl;
    }
    return kSuccess;
  }

 private:
  Status CheckWords() const {
    if (action_.empty() || (action_ == "stop" && !name_.empty())) return absl::OkStatus();
    return UsageError({.message = action_ == "stop"
                                      ? "no daemon is named"
                                      : absl::StrCat("daemons cannot \"", action_, "\""),
                       .where = "dl-submit daemons",
                       .remedy = "Use dl-submit daemons, which lists them, or dl-submit daemons "
                                 "stop NAME"});
  }

  StatusOr<int> List(const launch::Daemons& daemons, Context& context) const {
    std::vector<std::vector<std::string>> rows = {{"DAEMON", "PROCESS", "STATE", "LOG"}};
    for (const launch::Daemon& daemon : daemons.List()) {
      rows.push_back({daemon.name, daemon.pid == 0 ? "" : absl::StrCat(daemon.pid),
                      StateText(daemon), daemon.log});
      if (!json_) continue;
      context.out << JsonText({{"daemon", daemon.name},
                               {"pid", daemon.pid},
                               {"state", StateOf(daemon)},
                               {"command", daemon.command},
                               {"log", daemon.log},
                               {"said", ParseOutput(daemon)}})
                  << "\n";
    }
    if (!json_) context.out << RenderTable(rows);
    context.out << std::flush;
    return kSuccess;
  }

  ClusterFlags cluster_;
  std::string action_, name_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeDaemons() { return std::make_unique<DaemonsCommand>(); }

}  // namespace dl::cli
