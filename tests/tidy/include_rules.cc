#include "tests/tidy/include_rules.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_join.h"
#include "tests/tidy/code_words.h"

namespace dl::tidy {
namespace {

using Set = std::set<std::string>;

// Everything may use base; a part may use itself. tests and bench may use everything.
const std::map<std::string, Set>& Edges() {
  static const Set kMaster = {"job",        "dataset", "averaging", "nn/conf",
                              "nn/metrics", "storage", "rpc"};
  static const Set kExecutor = {"job",        "dataset", "averaging", "nn/conf",
                                "nn/metrics", "storage", "rpc",       "nn"};
  static const Set kLaunch = {"job",     "dataset", "averaging", "nn/conf", "nn/metrics",
                              "storage", "rpc",     "nn",        "master",  "executor"};
  static const std::map<std::string, Set> kEdges = {
      {"base", {}},
      {"averaging", {"job", "nn/conf"}},
      {"storage", {}},
      {"rpc", {}},
      {"nn/conf", {}},
      {"nn/metrics", {}},
      {"nn", {"nn/conf", "nn/metrics"}},
      {"job", {"nn/conf"}},
      {"dataset", {"storage", "job"}},
      {"master", kMaster},
      {"executor", kExecutor},
      {"launch", kLaunch},
      {"cli", {"launch", "job", "nn/conf", "dataset", "storage", "rpc"}},
      {"examples", {"launch", "job", "nn/conf"}},
  };
  return kEdges;
}

// The part of the table that a path or a target's name belongs to, "" when it is none of ours.
std::string PartOf(const std::string& path) {
  for (const char* leaf : {"nn/conf", "nn/metrics"}) {
    if (path.starts_with(std::string(leaf) + "/")) return leaf;
  }
  const std::string first = path.substr(0, path.find('/'));
  return Edges().contains(first) && first != path ? first : "";
}

Violations CheckEdge(const SourceFile& file, int line, const std::string& to,
                     const std::string& name) {
  const std::string from = PartOf(file.path);
  if (from.empty() || to == from || to == "base") return {};
  const Set& allowed = Edges().at(from);
  if (allowed.contains(to)) return {};
  return {{file.path, line,
           from + "/ may not use " + name + ": it may use base" +
               (allowed.empty() ? "" : ", " + absl::StrJoin(allowed, ", ")) +
               " (docs/architecture.md)"}};
}

struct ThirdParty {
  std::string prefix;              // of the header's name
  std::vector<std::string> where;  // paths that may include it; their unit tests too
};

const std::vector<ThirdParty>& ThirdParties() {
  static const std::vector<ThirdParty> kTable = {
      {"thrift/", {"rpc/"}},
      {"rocksdb/", {"storage/"}},
      {"dnnl", {"nn/backend/"}},
      {"oneapi/", {"nn/backend/"}},
      {"CLI/", {"cli/"}},
      {"archive", {"cli/export/"}},
      {"spdlog/", {"base/"}},
      {"fmt/", {"base/"}},
      {"nlohmann/", {"base/json.h", "base/json_fwd.h"}},
      {"openssl/", {"base/"}},
      {"xxhash.h", {"base/"}},
      {"zlib.h", {"dataset/"}},
      {"zstd.h", {"dataset/"}},
      {"gtest/", {"tests/"}},
      {"gmock/", {"tests/"}},
      {"Random123/", {"tests/unit/base/"}},
      {"omp.h", {"nn/backend/"}},
      {"absl/synchronization/",
       {}},                  // base/mutex.h instead: Debian's library is not instrumented for TSan
      {"absl/random/", {}},  // base/philox.h
      {"absl/time/", {}},    // base/clock.h
      {"absl/", {""}},
  };
  return kTable;
}

bool IsSystemHeader(const std::string& name) {
  static const Set kSystem = {
      "cpuid.h",     "dlfcn.h",     "errno.h",     "fcntl.h", "float.h",  "immintrin.h",
      "limits.h",    "malloc.h",    "math.h",      "netdb.h", "poll.h",   "pthread.h",
      "pwd.h",       "sched.h",     "signal.h",    "spawn.h", "stdint.h", "stdio.h",
      "stdlib.h",    "string.h",    "termios.h",   "time.h",  "unistd.h", "x86intrin.h",
      "xmmintrin.h", "pmmintrin.h", "emmintrin.h", "elf.h"};
  if (name.find('.') == std::string::npos && name.find('/') == std::string::npos)
    return true;  // <vector>
  for (const char* folder : {"sys/", "netinet/", "arpa/", "linux/", "sanitizer/"}) {
    if (name.starts_with(folder)) return true;
  }
  return kSystem.contains(name);
}

// tests/unit/storage/x counts as storage/x.
bool IsIn(const std::string& path, const std::string& where) {
  return path.starts_with(where) || path.starts_with("tests/unit/" + where);
}

// The rooms of the master's core, each of which uses those before it. Files beside the rooms are
// the words that all of them speak, but for the core itself, which hands events out.
constexpr std::string_view kCore = "master/core/";
const std::vector<std::string>& Rooms() {
  static const std::vector<std::string> kRooms = {"job/",     "",      "fleet/", "machine/",
                                                  "leasing/", "desk/", "core."};
  return kRooms;
}

// Its place among the rooms; -1: not of the core.
int RoomOf(const std::string& path) {
  if (!path.starts_with(kCore)) return -1;
  const std::string rest = path.substr(kCore.size());
  int place = 1;
  for (size_t i = 0; i < Rooms().size(); ++i) {
    if (!Rooms()[i].empty() && rest.starts_with(Rooms()[i])) place = static_cast<int>(i);
  }
  return place;
}

}  // namespace

Violations CheckRooms(const SourceFile& file) {
  Violations found;
  const int from = RoomOf(file.path);
  if (from < 0 || !IsCode(file)) return found;
  for (const Include& include : IncludesOf(file.text)) {
    if (RoomOf(include.name) <= from) continue;
    found.push_back({file.path, include.line,
                     "this room of the core may not use " + include.name + ", which uses it"});
  }
  return found;
}

Violations CheckEdges(const SourceFile& file) {
  Violations found;
  if (!IsCode(file)) return found;
  for (const Include& include : IncludesOf(file.text)) {
    if (include.angled) continue;
    const bool from_product = !PartOf(file.path).empty();
    if (from_product &&
        (include.name.starts_with("tests/") || include.name.starts_with("bench/"))) {
      found.push_back({file.path, include.line, "the product may not use " + include.name});
    }
    const std::string to = PartOf(include.name);
    if (to.empty()) continue;
    for (Violation& violation : CheckEdge(file, include.line, to, include.name))
      found.push_back(violation);
  }
  return found;
}

Violations CheckLinkedTargets(const SourceFile& file) {
  Violations found;
  if (!file.path.ends_with("/CMakeLists.txt")) return found;
  for (const Word& word : WordsOf(file.text)) {
    if (!word.text.starts_with("dl_")) continue;
    std::string part = word.text.substr(3);
    if (part.starts_with("nn_")) part[2] = '/';
    const std::string to = PartOf(part + "/");
    if (to.empty()) continue;
    for (Violation& violation : CheckEdge(file, word.line, to, word.text))
      found.push_back(violation);
  }
  return found;
}

Violations CheckThirdParties(const SourceFile& file) {
  Violations found;
  if (!IsCode(file)) return found;
  for (const Include& include : IncludesOf(file.text)) {
    const auto row = std::ranges::find_if(ThirdParties(), [&](const ThirdParty& third) {
      return include.name.starts_with(third.prefix);
    });
    if (row != ThirdParties().end()) {
      if (std::ranges::any_of(row->where,
                              [&](const std::string& where) { return IsIn(file.path, where); }))
        continue;
      found.push_back(
          {file.path, include.line,
           "<" + include.name + "> belongs to " +
               (row->where.empty() ? "nobody here" : absl::StrJoin(row->where, " and ")) +
               " only"});
    } else if (include.angled && !IsSystemHeader(include.name)) {
      found.push_back(
          {file.path, include.line, "<" + include.name + "> is in no table of tests/tidy"});
    } else if (!include.angled && include.name.find('/') == std::string::npos &&
               !IsIn(file.path, "rpc/")) {
      found.push_back({file.path, include.line,
                       "\"" + include.name +
                           "\": includes are root-relative, and Thrift's generated headers belong "
                           "to rpc/ only"});
    }
  }
  return found;
}

}  // namespace dl::tidy
