// The command `cluster`: creates keys and tokens of a cluster, and starts, shows and stops its
// machines over ssh.
#include <algorithm>
#include <array>
#include <ctime>
#include <optional>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/limits.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/clusters/lifetime.h"
#include "cli/clusters/machines.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/output/json_fields.h"
#include "cli/output/table.h"
#include "launch/admin_access.h"
#include "launch/daemons/cluster_init.h"
#include "launch/daemons/state_dir.h"
#include "launch/user.h"
#include "rpc/executor_name.h"
#include "rpc/messages.h"
#include "security/role.h"
#include "security/secret_file.h"

namespace dl::cli {
namespace {

constexpr char kExpected[] =
    "Use init, start, status, stop, drain NAME, token create, token list or token revoke ID";
constexpr std::string_view kActions[] = {"init",  "start",        "status",     "stop",
                                         "drain", "token create", "token list", "token revoke"};

// "2026-01-31 12:00", in UTC.
std::string DayAndTime(int64_t unix_ms) {
  const std::time_t seconds = unix_ms / 1000;
  std::tm parts = {};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text = {};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &parts);
  return text.data();
}

class ClusterCommand final : public Command {
 public:
  std::string_view name() const override { return "cluster"; }
  std::string_view json_lines() const override {
    return "Machine|ClusterKeys|DrainedExecutors|NewToken|Token|RevokedToken";
  }
  std::string_view summary() const override {
    return "Manage the keys, tokens and machines of a cluster";
  }
  std::string_view examples() const override {
    return "  dl-submit cluster init --data-dir /srv/paravane --name node0.example.org\n"
           "  dl-submit cluster start --hosts hosts.txt   # over ssh; example line: node1 slots=4\n"
           "  dl-submit cluster status\n"
           "  dl-submit cluster stop\n"
           "  dl-submit cluster token create --role submit --owner ada --expires 90d -o ada.token\n"
           "  dl-submit cluster token list\n"
           "  dl-submit cluster token revoke 5f0c9a7be1d24431\n"
           "  dl-submit cluster drain node3      # its executors finish their units and end\n"
           "Roles: read sees jobs; submit has jobs of its own; execute is for executors; admin may "
           "do everything. A token is shown once. The cluster accepts every caller that has it.";
  }
  void Declare(Flags& flags) override {
    flags.Positional("ACTION", action_, "init, start, status, stop, drain or token",
                     Flags::Need::kRequired);
    flags.Positional("WHAT", what_,
                     "After token: create, list or revoke. After drain: the name of an executor, "
                     "or a host with all of its executors.",
                     Flags::Need::kOptional);
    flags.SetCompletions("ACTION", {"init", "start", "status", "stop", "drain", "token"});
    flags.SetCompletions("WHAT", {"create", "list", "revoke"});
    flags.Positional("ID", id_, "After token revoke: id of the token", Flags::Need::kOptional);
    cluster_.Declare(flags);
    flags.List("--name", "HOST", names_,
               "init: name or address by which other machines reach the master. May be repeated. "
               "Default: the names of this machine.");
    flags.Switch("--renew", renew_, "init: replace the master's certificate; keep the CA");
    flags.Text("--role", "ROLE", role_,
               "token create: role of the token, which is read, submit, execute or admin");
    flags.SetCompletions("--role", {"read", "submit", "execute", "admin"});
    flags.Text("--owner", "NAME", owner_,
               "token create: owner of jobs submitted with the token. Default: your user name.");
    flags.Text("--executor", "NAME", executor_,
               "token create --role execute: reserve this executor name for the token");
    flags.Text("--expires", "TIME", expires_,
               "token create: lifetime of the token, for example 12h, 7d or 8w. Default: no end.");
    flags.Text(
        "-o,--output", "FILE", output_,
        "token create: write the token to FILE, readable only by you, instead of standard output");
    flags.Text(
        "--hosts", "FILE", machines_.hosts,
        "start, status, stop: list of machines, one per line: [USER@]HOST [slots=N] [name=NAME] "
        "[isa=ISA] [memory=BYTES] [cache-dir=DIR] [cache-bytes=BYTES] [executor-label=KEY=VALUE]. "
        "Default for status and stop: the file of the last start.");
    flags.Text("--ssh", "COMMAND", machines_.ssh.command,
               "start, status, stop: command that connects to a machine, for example 'ssh -p "
               "2222'. Default: ssh.");
    flags.Text("--program", "PATH", machines_.ssh.program,
               "start, status, stop: path of dl-submit on the machines. Default: dl-submit in "
               "their PATH.");
    flags.Text("--address", "ADDRESS", machines_.address,
               "start: address at which a master started here listens. Default: 0.0.0.0.");
    flags.Integer("--port", "PORT", machines_.port,
                  "start: port at which a master started here listens. Default: 7077.", 0, 65535);
    flags.Switch("--json", json_, "Print JSON");
  }
  StatusOr<int> Run(Context& context) override {
    const std::string action =
        action_ == "drain" ? action_ : absl::StrCat(action_, what_.empty() ? "" : " ", what_);
    if (std::ranges::find(kActions, action) == std::end(kActions)) {
      return UsageError({.message = absl::StrCat("cluster cannot \"", action, "\""),
                         .where = "dl-submit cluster",
                         .remedy = kExpected});
    }
    DL_RETURN_IF_ERROR(CheckFlags(action));
    DL_ASSIGN_OR_RETURN(const Settings settings, cluster_.Resolve(context));
    if (action == "init") return Init(settings, context);
    if (action == "drain") return Drain(settings, context);
    machines_.json = json_;
    if (action == "start") return StartMachines(machines_, settings, context);
    if (action == "status") return ShowMachines(machines_, settings, context);
    if (action == "stop") return StopMachines(machines_, settings, context);
    DL_ASSIGN_OR_RETURN(launch::AdminAccess admin, Reach(settings));
    if (action == "token create") return Create(admin.service(), context);
    if (action == "token list") return List(admin.service(), context);
    return Revoke(admin.service(), context);
  }

 private:
  // A flag of another action would have no effect, so it is an error.
  Status CheckFlags(const std::string& action) const {
    const auto only = [&](std::vector<std::string> of, bool given, const char* flag) {
      if (!given || std::ranges::find(of, action) != of.end()) return absl::OkStatus();
      return UsageError(
          {.message = absl::StrCat(flag, " is a flag of cluster ", absl::StrJoin(of, ", ")),
           .where = flag,
           .remedy = "Leave it out"});
    };
    const MachinesOptions nothing;
    const std::vector<std::string> over_ssh = {"start", "status", "stop"};
    DL_RETURN_IF_ERROR(only(over_ssh, machines_.hosts != nothing.hosts, "--hosts"));
    DL_RETURN_IF_ERROR(only(over_ssh, machines_.ssh.command != nothing.ssh.command, "--ssh"));
    DL_RETURN_IF_ERROR(only(over_ssh, machines_.ssh.program != nothing.ssh.program, "--program"));
    DL_RETURN_IF_ERROR(only({"start"}, machines_.address != nothing.address, "--address"));
    DL_RETURN_IF_ERROR(only({"start"}, machines_.port != nothing.port, "--port"));
    DL_RETURN_IF_ERROR(only({"init"}, !names_.empty(), "--name"));
    DL_RETURN_IF_ERROR(only({"init"}, renew_, "--renew"));
    DL_RETURN_IF_ERROR(only({"token create"}, !role_.empty(), "--role"));
    DL_RETURN_IF_ERROR(only({"token create"}, !owner_.empty(), "--owner"));
    DL_RETURN_IF_ERROR(only({"token create"}, !executor_.empty(), "--executor"));
    DL_RETURN_IF_ERROR(only({"token create"}, !expires_.empty(), "--expires"));
    DL_RETURN_IF_ERROR(only({"token create"}, !output_.empty(), "--output"));
    if (action == "drain" && what_.empty()) {
      return UsageError({.message = "no executor is named",
                         .where = "dl-submit cluster drain",
                         .remedy = "Name one, or a host; dl-submit status lists them"});
    }
    if ((action == "token revoke") == !id_.empty()) return absl::OkStatus();
    return UsageError(
        {.message = id_.empty() ? "no token is named" : absl::StrCat("\"", id_, "\" is unexpected"),
         .where = "dl-submit cluster " + action,
         .remedy = id_.empty() ? "dl-submit cluster token list shows their ids" : kExpected});
  }

  StatusOr<int> Init(const Settings& settings, Context& context) {
    if (IsFromLine(settings.master)) {
      return UsageError({.message = "keys are created in the master's data folder",
                         .where = "--master",
                         .remedy = "Give --data-dir DIR, on the master's machine"});
    }
    DL_ASSIGN_OR_RETURN(const std::string data_dir, launch::StateDir(settings.data_dir.value));
    auto made = renew_ ? launch::RenewCertificate(data_dir, names_)
                       : launch::InitializeCluster(data_dir, names_);
    // Without --renew, the folder must not have a CA yet.
    if (absl::IsInvalidArgument(made.status()) || absl::IsAlreadyExists(made.status()))
      return WithExitCode(made.status(), kUsage);
    DL_RETURN_IF_ERROR(made.status());
    if (json_) {
      Json line = {{"data_dir", data_dir}, {"names", made->names}};
      if (!renew_) line["executor_token_file"] = made->executor_token;
      context.out << JsonText(line) << std::endl;
      return kSuccess;
    }
    const std::string host = made->names.front();
    context.out << "The master's certificate is for " << absl::StrJoin(made->names, ", ") << ".\n";
    if (renew_) {
      context.out << "It shows it from its next start on; tokens stay as they are." << std::endl;
      return kSuccess;
    }
    context.out << "\nHere, start it:\n  dl-submit master --data-dir " << data_dir
                << " --address 0.0.0.0\n"
                << "\nOn the other machines: copy " << made->executor_token
                << " there, for its owner alone (chmod 600), and start executors:\n"
                << "  dl-submit executor --master dl://" << host
                << ":7077 --token-file executor-token\n"
                << "\nOr both at once, over ssh; in hosts.txt a line for each: node1 slots=4\n"
                << "  dl-submit cluster start --data-dir " << data_dir << " --hosts hosts.txt\n"
                << "\nFor people, make a token each:\n  dl-submit cluster token create --data-dir "
                << data_dir << " --role submit --owner NAME -o NAME.token\n"
                << "  dl-submit submit --master dl://" << host
                << ":7077 --token-file NAME.token JOB" << std::endl;
    return kSuccess;
  }

  StatusOr<int> Drain(const Settings& settings, Context& context) {
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToQuery));
    DL_ASSIGN_OR_RETURN(const rpc::DrainReply reply,
                        session.client().Drain({.executors = what_}, limits::kControlDeadline));
    if (json_) {
      context.out << JsonText({{"executors", reply.executors}}) << std::endl;
    } else {
      context.err << absl::StrJoin(reply.executors, ", ")
                  << (reply.executors.size() == 1 ? " finishes what it computes, and ends"
                                                  : " finish what they compute, and end")
                  << std::endl;
    }
    return kSuccess;
  }

  StatusOr<launch::AdminAccess> Reach(const Settings& settings) {
    DL_ASSIGN_OR_RETURN(const launch::Target target, TargetOf(settings.master));
    if (target.is_standing()) {
      DL_RETURN_IF_ERROR(CheckCertificate(settings));
      return launch::AdminAccess::Connect(target, CredentialsOf(settings));
    }
    DL_ASSIGN_OR_RETURN(const std::string data_dir, launch::StateDir(settings.data_dir.value));
    return launch::AdminAccess::OpenFolder(data_dir);
  }

  StatusOr<int> Create(rpc::AdminService& admin, Context& context) {
    if (role_.empty()) {
      return UsageError({.message = "the token has no role",
                         .where = "--role",
                         .remedy = "Give --role read, submit, execute or admin"});
    }
    if (auto role = security::ParseRole(role_); !role.ok())
      return WithExitCode(role.status(), kUsage);
    rpc::CreateTokenRequest request{.owner = owner_.empty() ? launch::OwnIdentity().owner : owner_,
                                    .role = role_,
                                    .executor = executor_};
    if (!executor_.empty() && role_ != security::RoleName(security::Role::kExecute)) {
      return UsageError(
          {.message = absl::StrCat("a token of the role ", role_, " is for no executor"),
           .where = "--executor",
           .remedy = "Give --role execute, or leave it out"});
    }
    if (!executor_.empty() && !rpc::IsExecutorName(executor_)) {
      return UsageError({.message = "this is not a valid name of an executor",
                         .where = "--executor",
                         .remedy = absl::StrCat("Use ", rpc::kExecutorNameRule)});
    }
    if (!security::IsOwnerName(request.owner)) {
      return UsageError({.message = "this is not a valid name of an owner",
                         .where = "--owner",
                         .remedy = absl::StrCat("Use ", security::kOwnerNameRule)});
    }
    if (!expires_.empty()) {
      DL_ASSIGN_OR_RETURN(const Duration lifetime, ParseLifetime(expires_, "--expires"));
      request.lifetime_ms = std::chrono::duration_cast<std::chrono::milliseconds>(lifetime).count();
    }
    DL_ASSIGN_OR_RETURN(const rpc::CreateTokenReply reply,
                        admin.CreateToken(request, limits::kControlDeadline));
    DL_ASSIGN_OR_RETURN(const security::Token token, security::ParseToken(reply.token));
    if (!output_.empty()) DL_RETURN_IF_ERROR(security::WriteTokenFile(output_, token));
    if (json_) {
      Json line = {{"id", token.id}, {"owner", request.owner}, {"role", role_}};
      if (!executor_.empty()) line["executor"] = executor_;
      if (output_.empty()) {
        line["token"] = reply.token;
      } else {
        line["token_file"] = output_;
      }
      context.out << JsonText(line) << std::endl;
      return kSuccess;
    }
    if (output_.empty()) context.out << reply.token << std::endl;
    context.err << "token " << token.id << " of " << request.owner << ", role " << role_
                << (executor_.empty() ? "" : " as " + executor_)
                << (output_.empty() ? "; it is not shown again" : ", in " + output_) << std::endl;
    return kSuccess;
  }

  StatusOr<int> List(rpc::AdminService& admin, Context& context) {
    DL_ASSIGN_OR_RETURN(const rpc::ListTokensReply reply,
                        admin.ListTokens({}, limits::kControlDeadline));
    DL_ASSIGN_OR_RETURN(const Json list, ParseJson(reply.json, "the master's list of tokens"));
    std::vector<std::vector<std::string>> rows = {
        {"ID", "OWNER", "ROLE", "EXECUTOR", "CREATED", "EXPIRES"}};
    for (const Json& token : list) {
      if (json_) {
        context.out << JsonText(token) << "\n";
        continue;
      }
      const int64_t expires = IntegerAt(token, "expires_unix_ms");
      rows.push_back({TextAt(token, "id"), TextAt(token, "owner"), TextAt(token, "role"),
                      TextAt(token, "executor"), DayAndTime(IntegerAt(token, "created_unix_ms")),
                      expires == 0               ? "never"
                      : FlagAt(token, "expired") ? "expired"
                                                 : DayAndTime(expires)});
    }
    if (!json_) context.out << RenderTable(rows);
    context.out << std::flush;
    return kSuccess;
  }

  StatusOr<int> Revoke(rpc::AdminService& admin, Context& context) {
    DL_RETURN_IF_ERROR(admin.RevokeToken({.id = id_}, limits::kControlDeadline));
    if (json_) {
      context.out << JsonText({{"id", id_}, {"state", "revoked"}}) << std::endl;
    } else {
      context.err << "token " << id_ << " is revoked; what its holder had open is closed"
                  << std::endl;
    }
    return kSuccess;
  }

  ClusterFlags cluster_;
  std::string action_, what_, id_, role_, owner_, executor_, expires_, output_;
  std::vector<std::string> names_;
  MachinesOptions machines_;
  bool renew_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeCluster() { return std::make_unique<ClusterCommand>(); }

}  // namespace dl::cli
