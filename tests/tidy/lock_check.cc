#include "tests/tidy/lock_check.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/process.h"
#include "tests/support/temp_folder.h"
#include "tests/tidy/code_words.h"

namespace dl::tidy {
namespace {

using namespace std::chrono_literals;
constexpr char kSeam[] = "base/mutex.h";
constexpr size_t kProcesses = 2;

std::vector<std::string> Words(const std::string& command) {
  std::vector<std::string> words(1);
  for (size_t i = 0; i < command.size(); ++i) {
    if (command[i] == '\\' && i + 1 < command.size()) {
      words.back() += command[++i];
    } else if (command[i] == ' ') {
      words.emplace_back();
    } else if (command[i] != '"') {
      words.back() += command[i];
    }
  }
  return words;
}

}  // namespace

std::vector<std::string> FilesWithLocks(const SourceTree& tree) {
  std::map<std::string, std::vector<std::string>> included_by;
  for (const SourceFile& file : tree) {
    for (const Include& include : IncludesOf(file.text))
      included_by[include.name].push_back(file.path);
  }
  std::set<std::string> files;
  for (const std::string& user : included_by[kSeam]) {
    for (const std::string& file : included_by[user]) files.insert(file);
    files.insert(user);
  }
  std::erase_if(files, [](const std::string& path) { return !path.ends_with(".cc"); });
  return {files.begin(), files.end()};
}

StatusOr<std::vector<std::string>> IncludeFlags(const std::string& compile_commands) {
  DL_ASSIGN_OR_RETURN(const std::string text, ReadFile(compile_commands, limits::kMaxJsonBytes));
  DL_ASSIGN_OR_RETURN(const Json commands, ParseJson(text, compile_commands));
  std::vector<std::string> flags;
  std::set<std::string> seen;
  for (const Json& entry : commands) {
    const std::vector<std::string> words = Words(entry.at("command").get<std::string>());
    for (size_t i = 0; i < words.size(); ++i) {
      const bool pair = words[i] == "-isystem" && i + 1 < words.size();
      if (!pair && !words[i].starts_with("-I") && !words[i].starts_with("-D")) continue;
      const std::string last = pair ? words[i + 1] : words[i];
      if (!seen.insert(last).second) continue;
      if (pair) flags.push_back(words[i]);
      flags.push_back(last);
    }
  }
  return flags;
}

bool HasClang() {
  auto child =
      Spawner::Real().Start({.argv = {"clang++", "--version"}, .out = ChildOutput::Discard()});
  if (!child.ok()) return false;
  const StatusOr<ExitStatus> status = (*child)->Wait(60s);
  return status.ok() && *status == ExitStatus{};
}

StatusOr<std::string> LockComplaints(const std::vector<std::string>& files,
                                     const std::vector<std::string>& flags) {
  test::TempFolder folder;
  std::vector<std::unique_ptr<ChildProcess>> children;
  for (size_t p = 0; p < std::min(kProcesses, files.size()); ++p) {
    std::vector<std::string> argv = {"clang++",         "-std=c++20",
                                     "-fsyntax-only",   "-fno-color-diagnostics",
                                     "-Wno-everything", "-Werror=thread-safety"};
    argv.insert(argv.end(), flags.begin(), flags.end());
    for (size_t i = p; i < files.size(); i += kProcesses) argv.push_back(files[i]);
    DL_ASSIGN_OR_RETURN(
        auto child, Spawner::Real().Start({.argv = argv,
                                           .out = ChildOutput::Discard(),
                                           .err = ChildOutput::File(folder / std::to_string(p))}));
    children.push_back(std::move(child));
  }
  std::string complaints;
  for (size_t p = 0; p < children.size(); ++p) {
    DL_ASSIGN_OR_RETURN(const ExitStatus status, children[p]->Wait(30min));
    DL_ASSIGN_OR_RETURN(const std::string text, ReadFile(folder / std::to_string(p), 64 << 20));
    if (status != ExitStatus{} || !text.empty())
      complaints += "clang++ " + ToString(status) + "\n" + text;
  }
  return complaints;
}

}  // namespace dl::tidy
