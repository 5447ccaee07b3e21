#include "cli/clusters/ssh.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/limits.h"
#include "base/shell_word.h"
#include "cli/jobs/json_call.h"

namespace dl::cli {
namespace {

constexpr int kSshFailed = 255, kNotExecutable = 126, kNoProgram = 127;

// Returns the error of ssh itself, or of starting the program; OK if the program ran.
Status ErrorOf(const SshOptions& options, const std::string& host,
               const JsonProgramOutput& answer) {
  if (answer.end.code == kSshFailed || answer.end.signal != 0) {
    return Unavailable({.message = answer.last_error_line.empty()
                                       ? absl::StrCat("ssh ", ToString(answer.end))
                                       : answer.last_error_line,
                        .where = host,
                        .remedy = SshRemedy(answer.last_error_line, host)});
  }
  if (answer.end.code == kNoProgram || answer.end.code == kNotExecutable) {
    return Unavailable(
        {.message = absl::StrCat("there is no ", options.program,
                                 " that this machine can start: ", answer.last_error_line),
         .where = host,
         .remedy = "Install it there (./dev install DIR), then give --program DIR/bin/dl-submit or "
                   "add it to the PATH of non-interactive shells"});
  }
  return absl::OkStatus();
}

}  // namespace

std::string SshRemedy(const std::string& message, const std::string& host) {
  const auto says = [&](const char* text) {
    return absl::StrContains(absl::AsciiStrToLower(message), absl::AsciiStrToLower(text));
  };
  if (says("Permission denied")) {
    return absl::StrCat("Let this user in by a key: ssh-copy-id ", ShellWord(host),
                        "; a key with a passphrase has to be in the agent (ssh-add)");
  }
  if (says("Host key verification failed") || says("key is known")) {
    return absl::StrCat("Compare the machine's key, and accept it once: ssh ", ShellWord(host));
  }
  if (says("resolve hostname")) return "Is the name right? Try its address instead";
  if (says("Connection refused")) return "Is sshd running there, on that port (--ssh 'ssh -p N')?";
  if (says("timed out") || says("No route to host"))
    return "Is the machine up, and does a firewall let ssh through?";
  return absl::StrCat("Try it by hand: ssh ", ShellWord(host), " true");
}

StatusOr<JsonProgramOutput> RunOverSsh(const SshOptions& options, const std::string& host,
                                       const std::vector<std::string>& words,
                                       const std::string& input) {
  std::vector<std::string> argv = absl::StrSplit(options.command, ' ', absl::SkipEmpty());
  std::string line = ShellWord(options.program);
  for (const std::string& word : words) absl::StrAppend(&line, " ", ShellWord(word));
  argv.insert(argv.end(),
              {"-T", "-o", "BatchMode=yes", "-o",
               absl::StrCat("ConnectTimeout=", limits::kSshConnectSeconds), "--", host, line});
  auto answer = RunForJson(argv, input);
  if (absl::IsNotFound(answer.status()))
    return WithRemedy(answer.status(), "Install OpenSSH's client, or name another with --ssh");
  if (absl::IsDeadlineExceeded(answer.status())) {
    return Unavailable(
        {.message = absl::StrCat("no answer in ",
                                 limits::kHostCallTimeout / std::chrono::seconds(1), " s"),
         .where = host,
         .remedy = SshRemedy("", host)});
  }
  DL_RETURN_IF_ERROR(answer.status());
  DL_RETURN_IF_ERROR(ErrorOf(options, host, *answer));
  return answer;
}

StatusOr<std::vector<Json>> RunOverSshForObjects(const SshOptions& options, const std::string& host,
                                                 const std::vector<std::string>& words,
                                                 const std::string& input) {
  DL_ASSIGN_OR_RETURN(JsonProgramOutput answer, RunOverSsh(options, host, words, input));
  DL_RETURN_IF_ERROR(answer.error());
  return std::move(answer.objects);
}

}  // namespace dl::cli
