#include "tests/tidy/lock_check.h"

#include <algorithm>
#include <deque>
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

namespace {

bool Has(const char* program) {
  auto child =
      Spawner::Real().Start({.argv = {program, "--version"}, .out = ChildOutput::Discard()});
  if (!child.ok()) return false;
  const StatusOr<ExitStatus> status = (*child)->Wait(60s);
  return status.ok() && *status == ExitStatus{};
}

struct Check {
  std::unique_ptr<ChildProcess> clang;
  std::string said;  // the file with its complaints
};

StatusOr<std::string> End(const Check& check) {
  DL_ASSIGN_OR_RETURN(const ExitStatus status, check.clang->Wait(30min));
  DL_ASSIGN_OR_RETURN(const std::string text, ReadFile(check.said, 64 << 20));
  if (status == ExitStatus{} && text.empty()) return "";
  return "clang++ " + ToString(status) + "\n" + text;
}

class Clangs {
 public:
  explicit Clangs(const std::vector<std::string>& flags) {
    for (const char* word : {"clang++", "-std=c++20", "-fsyntax-only", "-fno-color-diagnostics",
                             "-Wno-everything", "-Werror=thread-safety"}) {
      argv_.emplace_back(word);
    }
    argv_.insert(argv_.end(), flags.begin(), flags.end());
  }

  // For each of these lists what is said of it, "" where all is well.
  StatusOr<std::vector<std::string>> Read(const std::vector<std::vector<std::string>>& lists) {
    std::vector<std::string> complaints;
    std::deque<Check> running;
    const auto end_first = [&]() -> Status {
      DL_ASSIGN_OR_RETURN(complaints.emplace_back(), End(running.front()));
      running.pop_front();
      return absl::OkStatus();
    };
    for (const std::vector<std::string>& files : lists) {
      if (running.size() == kProcesses) DL_RETURN_IF_ERROR(end_first());
      DL_ASSIGN_OR_RETURN(Check check, Start(files));
      running.push_back(std::move(check));
    }
    while (!running.empty()) DL_RETURN_IF_ERROR(end_first());
    return complaints;
  }

 private:
  StatusOr<Check> Start(const std::vector<std::string>& files) {
    const std::string name = folder_ / std::to_string(started_++);
    std::vector<std::string> argv = argv_;
    argv.push_back(files.front());
    if (files.size() > 1) {
      std::string together;
      for (const std::string& file : files) together += "#include \"" + file + "\"\n";
      argv.back() = name + ".cc";
      DL_RETURN_IF_ERROR(AtomicWriteFile(argv.back(), together));
    }
    DL_ASSIGN_OR_RETURN(auto clang, Spawner::Real().Start({.argv = argv,
                                                           .out = ChildOutput::Discard(),
                                                           .err = ChildOutput::File(name)}));
    return Check{std::move(clang), name};
  }

  test::TempFolder folder_;
  std::vector<std::string> argv_;
  int started_ = 0;
};

}  // namespace

bool HasClang() { return Has("clang++"); }

StatusOr<std::string> LockComplaints(const std::vector<std::string>& files,
                                     const std::vector<std::string>& flags) {
  // The sources of a folder at once, because a clang spends its time on headers that they share.
  // Where that does not compile, or finds something, each by itself.
  std::map<std::string, std::vector<std::string>> folders;
  for (const std::string& file : files) folders[file.substr(0, file.rfind('/'))].push_back(file);
  std::vector<std::vector<std::string>> together, alone;
  for (const auto& [folder, sources] : folders) together.push_back(sources);
  Clangs clangs(flags);
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> first, clangs.Read(together));
  for (size_t i = 0; i < together.size(); ++i) {
    if (first[i].empty()) continue;
    for (const std::string& file : together[i]) alone.push_back({file});
  }
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> complaints, clangs.Read(alone));
  std::string all;
  for (const std::string& complaint : complaints) all += complaint;
  return all;
}

}  // namespace dl::tidy
