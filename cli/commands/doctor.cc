// The command `doctor`: checks whether this machine and the machines of a cluster are set up
// correctly.
#include "cli/clusters/doctor.h"

#include <algorithm>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/clusters/lock_probe.h"
#include "cli/clusters/machines.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "launch/daemons/data_folder.h"
#include "launch/daemons/state_dir.h"

namespace dl::cli {
namespace {

constexpr const char* kMarks[] = {"✓", "!", "✗"};

class DoctorCommand final : public Command {
 public:
  std::string_view name() const override { return "doctor"; }
  std::string_view json_lines() const override { return "Check"; }
  std::string_view summary() const override {
    return "Check this machine, a data folder, a master and the machines of a cluster";
  }
  std::string_view examples() const override {
    return "  dl-submit doctor\n"
           "  dl-submit doctor --master dl://node0:7077 --token-file ada.token\n"
           "  dl-submit doctor --hosts hosts.txt     # also checks each machine, over ssh\n"
           "✓ ok, ! warning, ✗ error (exit code 1).";
  }
  void Declare(Flags& flags) override {
    cluster_.Declare(flags);
    flags.Text("--hosts", "FILE", machines_.hosts,
               "Also check each machine of this hosts file and its link to the master (see "
               "dl-submit cluster --help)");
    flags.Text("--ssh", "COMMAND", machines_.ssh.command,
               "Command that connects to a machine, for example 'ssh -p 2222'. Default: ssh.");
    flags.Text("--program", "PATH", machines_.ssh.program,
               "Path of dl-submit on the machines. Default: dl-submit in their PATH.");
    flags.Text("--lock-probe", "FOLDER", lock_probe_,
               "Also check whether a lock that doctor holds in FOLDER on another machine is "
               "visible here. Used by doctor --hosts on each machine.");
    flags.Switch("--json", json_, "Print one JSON object a line");
  }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(const Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(launch::Target target, TargetOf(settings.master));
    if (machines_.hosts.empty() && (machines_.ssh.command != SshOptions().command ||
                                    machines_.ssh.program != SshOptions().program)) {
      return UsageError({.message = "--ssh and --program apply to the machines of a hosts file",
                         .where = "dl-submit doctor",
                         .remedy = "Also give --hosts FILE"});
    }
    DL_ASSIGN_OR_RETURN(const std::string state_dir, launch::StateDir(settings.data_dir.value));
    Print("", CheckMachine(state_dir), context);
    if (!lock_probe_.empty()) Print("", {CheckLockProbe(lock_probe_)}, context);
    bool has_master = target.is_standing();
    if (!has_master) {
      Print("", CheckDataFolder(state_dir), context);
      // Use the master of the data folder, if one is running.
      if (const auto holder = launch::DataFolder::Holder(state_dir)) {
        if (const auto found = launch::ParseTarget(holder->master); found.ok()) {
          target = *found;
          has_master = true;
        }
      }
    }
    if (has_master) Print("", CheckMaster(target, CredentialsOf(settings)), context);
    if (!machines_.hosts.empty()) {
      DL_RETURN_IF_ERROR(DoctorOnMachines(
          machines_, settings, [&](const std::string& host, const std::vector<Check>& checks) {
            Print(host, checks, context);
          }));
    }
    return failed_ ? kFailed : kSuccess;
  }

 private:
  // Not thread-safe.
  void Print(const std::string& host, const std::vector<Check>& checks, Context& context) {
    if (!host.empty() && !json_) context.out << "\n" << host << "\n";
    for (const Check& check : checks) {
      failed_ = failed_ || check.state == Check::State::kFailed;
      if (json_) {
        Json line = ToJson(check);
        if (!host.empty()) line["host"] = host;
        context.out << JsonText(line) << "\n";
        continue;
      }
      context.out << kMarks[static_cast<int>(check.state)]
                  << absl::StrFormat(" %-16s ", check.subject) << check.message << "\n";
      if (!check.remedy.empty())
        context.out << absl::StrFormat("  %-16s try: ", "") << check.remedy << "\n";
    }
    context.out << std::flush;
  }

  ClusterFlags cluster_;
  MachinesOptions machines_;
  std::string lock_probe_;
  bool json_ = false, failed_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeDoctor() { return std::make_unique<DoctorCommand>(); }

}  // namespace dl::cli
