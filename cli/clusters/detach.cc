#include "cli/clusters/detach.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "cli/exit_code.h"
#include "cli/output/error_report.h"
#include "cli/output/json_fields.h"
#include "launch/daemons/daemons.h"
#include "launch/daemons/state_dir.h"
#include "launch/process_setup.h"
#include "security/secret_file.h"

namespace dl::cli {
namespace {

bool Has(const std::vector<std::string>& words, const std::string& flag) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return word == flag || absl::StartsWith(word, absl::StrCat(flag, "="));
  });
}

// Removes the flag and its value wherever they occur.
void Remove(std::vector<std::string>& words, const std::string& flag) {
  for (auto word = words.begin(); word != words.end();) {
    const bool with_value = *word == flag && word + 1 != words.end();
    const bool is_flag = *word == flag || absl::StartsWith(*word, absl::StrCat(flag, "="));
    word = is_flag ? words.erase(word, word + (with_value ? 2 : 1)) : word + 1;
  }
}

}  // namespace

bool CanBeReadOnlyOnce(const std::string& token_file) {
  return token_file == "-" || absl::StartsWith(token_file, "/dev/");
}

StatusOr<int> Detach(const std::string& name, const Settings& settings, Context& context) {
  DL_ASSIGN_OR_RETURN(const std::string state_dir, launch::StateDir(settings.data_dir.value));
  DL_ASSIGN_OR_RETURN(std::vector<std::string> words, launch::OwnArguments());
  words.erase(words.begin());
  std::erase(words, "--detach");
  if (Has(words, "--log-file")) {
    return UsageError(
        {.message = "a daemon writes its log to its own folder",
         .where = "--log-file",
         .remedy =
             "Leave out --log-file or --detach; dl-submit daemons shows the path of the log"});
  }
  if (!Has(words, "--json")) words.emplace_back("--json");
  const bool is_executor = std::ranges::find(words, "executor") != words.end();
  if (is_executor && !Has(words, "--name")) words.insert(words.end(), {"--name", name});
  std::optional<security::Token> token;
  if (CanBeReadOnlyOnce(settings.token_file.value)) {
    DL_ASSIGN_OR_RETURN(token, security::ReadTokenFile(settings.token_file.value));
    Remove(words, "--token-file");
  }
  auto started = launch::Daemons(state_dir).Start(name, words, token, limits::kDetachTimeout);
  if (absl::IsInvalidArgument(started.status())) return WithExitCode(started.status(), kUsage);
  DL_RETURN_IF_ERROR(started.status());

  const launch::Daemon& daemon = started->daemon;
  const auto said =
      ParseJson(daemon.last_line.empty() ? "{}" : daemon.last_line, "what the daemon said");
  if (started->ended) {
    if (auto error = said.ok() ? ErrorOfResult(*said) : std::nullopt) return *error;
    return Unavailable({.message = absl::StrCat("the daemon ", ToString(*started->ended)),
                        .where = daemon.log,
                        .remedy = "Read its log"});
  }
  Json line = said.ok() && said->is_object() ? *said : Json::object();
  if (TextAt(line, "type").empty()) line["type"] = "waiting";
  line.update({{"daemon", name}, {"pid", daemon.pid}, {"log", daemon.log}});
  if (started->ran_already) line["already"] = true;
  context.out << JsonText(line) << std::endl;
  context.err << name << (started->ran_already ? " runs already" : " runs") << ", process "
              << daemon.pid << ", log in " << daemon.log << "\n";
  if (const Json* error = Member(line, "error"))
    context.err << "it waits: " << TextAt(*error, "message") << "\n";
  context.err << std::flush;
  return kSuccess;
}

}  // namespace dl::cli
