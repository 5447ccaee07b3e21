#include "tests/tidy/lock_check.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <iostream>
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
  std::string said;  // the file with clang's complaints
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

  // Parses this header once for all files. "" means no header.
  Status Precompile(const std::string& header) {
    if (header.empty()) return absl::OkStatus();
    std::vector<std::string> argv = argv_;
    std::erase(argv, "-fsyntax-only");
    const std::string made = folder_ / "precompiled.pch";
    argv.insert(argv.end(), {"-x", "c++-header", header, "-o", made});
    DL_ASSIGN_OR_RETURN(const Check check, Start(argv, "precompiled"));
    DL_ASSIGN_OR_RETURN(const std::string complaint, End(check));
    if (!complaint.empty()) return FailedPrecondition({.message = complaint, .where = header});
    argv_.insert(argv_.end(), {"-include-pch", made});
    return absl::OkStatus();
  }

  // Returns the complaints about each of these lists of files, by the name of the list. Lists
  // without complaints are left out.
  StatusOr<std::map<std::string, std::string>> Read(
      const std::string& root, const std::map<std::string, std::vector<std::string>>& lists) {
    std::map<std::string, std::string> complaints;
    std::deque<std::pair<std::string, Check>> running;
    const auto end_first = [&]() -> Status {
      DL_ASSIGN_OR_RETURN(std::string complaint, End(running.front().second));
      if (!complaint.empty()) complaints[running.front().first] = std::move(complaint);
      running.pop_front();
      return absl::OkStatus();
    };
    for (const auto& [name, files] : lists) {
      if (running.size() == kProcesses) DL_RETURN_IF_ERROR(end_first());
      std::string together;
      for (const std::string& file : files) together += "#include \"" + root + "/" + file + "\"\n";
      const std::string number = std::to_string(started_++);
      std::vector<std::string> argv = argv_;
      argv.push_back(folder_ / (number + ".cc"));
      DL_RETURN_IF_ERROR(AtomicWriteFile(argv.back(), together));
      DL_ASSIGN_OR_RETURN(Check check, Start(argv, number));
      running.emplace_back(name, std::move(check));
    }
    while (!running.empty()) DL_RETURN_IF_ERROR(end_first());
    return complaints;
  }

 private:
  StatusOr<Check> Start(const std::vector<std::string>& argv, const std::string& name) {
    const std::string said = folder_ / name;
    DL_ASSIGN_OR_RETURN(auto clang, Spawner::Real().Start({.argv = argv,
                                                           .out = ChildOutput::Discard(),
                                                           .err = ChildOutput::File(said)}));
    return Check{std::move(clang), said};
  }

  test::TempFolder folder_;
  std::vector<std::string> argv_;
  int started_ = 0;
};

// Three ways to group files, from coarse to fine. GroupOf makes three groups: the product, its unit
// tests, and whole programs. tests/network and tests/slurm stay separate, because they define names
// that others define too.
std::string FolderOf(const std::string& file) { return file.substr(0, file.rfind('/')); }
std::string Itself(const std::string& file) { return file; }
std::string GroupOf(const std::string& file) {
  if (file.starts_with("tests/unit/")) return "tests/unit";
  if (file.starts_with("tests/network/") || file.starts_with("tests/slurm/")) return FolderOf(file);
  const bool is_product = !file.starts_with("tests/") && !file.starts_with("bench/");
  return is_product ? "product" : "programs";
}

}  // namespace

bool HasClang() { return Has("clang++"); }

namespace {

// Groups that do not compile together make the check slow. Their names have to differ.
void PrintSlowGroups(const std::map<std::string, std::string>& complaints) {
  for (const auto& [name, complaint] : complaints) {
    const size_t error = complaint.find("error: ");
    if (error == std::string::npos || complaint.find("thread-safety") != std::string::npos)
      continue;
    const size_t begin = complaint.rfind('\n', error) + 1;
    std::cout << "the files of " << name << " are read by folder, because they do not compile "
              << "together: " << complaint.substr(begin, complaint.find('\n', error) - begin)
              << "\n";
  }
}

}  // namespace

StatusOr<std::string> LockComplaints(const std::string& root, const std::vector<std::string>& files,
                                     const std::vector<std::string>& flags,
                                     const std::string& precompiled) {
  // Reads as many files together as possible, because clang spends most of its time on shared
  // headers. If a group does not compile or has complaints, its folders are read separately, and
  // then its files.
  Clangs clangs(flags);
  DL_RETURN_IF_ERROR(clangs.Precompile(precompiled));
  const std::vector<std::function<std::string(const std::string&)>> parts = {GroupOf, FolderOf,
                                                                             Itself};
  std::string all;
  std::vector<std::string> left = files;
  for (const auto& part : parts) {
    std::map<std::string, std::vector<std::string>> lists;
    for (const std::string& file : left) lists[part(file)].push_back(file);
    DL_ASSIGN_OR_RETURN(const auto complaints, clangs.Read(root, lists));
    if (lists.size() < files.size()) PrintSlowGroups(complaints);
    left.clear();
    all.clear();
    for (const auto& [name, complaint] : complaints) {
      left.insert(left.end(), lists[name].begin(), lists[name].end());
      all += complaint;
    }
  }
  return all;
}

}  // namespace dl::tidy
