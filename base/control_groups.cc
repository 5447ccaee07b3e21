#include "base/control_groups.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/files.h"

namespace dl {
namespace {

constexpr int64_t kLongestFile = 1 << 20;
// cgroup v1 writes "no limit" as the largest multiple of a page, so a limit this large means none.
constexpr int64_t kNoLimit = int64_t{1} << 62;

struct Hierarchy {
  enum class Version { kV1, kV2 };
  Version version = Version::kV2;
  std::vector<std::string> controllers;  // version 1 only
  std::string mount;                     // folder at which the hierarchy is mounted
  std::vector<std::string> folders;      // from the group of this process up to `mount`
};

std::vector<std::string> LinesOf(const std::string& path) {
  return absl::StrSplit(ReadFile(path, kLongestFile).value_or(""), '\n', absl::SkipEmpty());
}

// Decodes mountinfo(5), which writes a blank, tab, newline and backslash as \040, \011, \012, \134.
std::string WithoutEscapes(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    int code = 0;
    if (text[i] == '\\' && i + 3 < text.size()) {
      for (size_t digit = 1; digit <= 3; ++digit) code = code * 8 + (text[i + digit] - '0');
      i += 3;
    }
    plain += code > 0 ? static_cast<char>(code) : text[i];
  }
  return plain;
}

// Returns the path of each group of this process, by controller; "" stands for version 2.
std::map<std::string, std::string> GroupsOfProcess(const std::string& root) {
  std::map<std::string, std::string> groups;
  for (const std::string& line : LinesOf(root + "/proc/self/cgroup")) {
    // The form is "4:cpu,cpuacct:/a/b"; the path may contain colons.
    const std::vector<std::string> fields = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3) continue;
    for (const auto& controller : absl::StrSplit(fields[1], ','))
      groups.emplace(std::string(controller), fields[2]);
  }
  return groups;
}

// Returns the folders of the group and of its parents. `mounted` is the group that appears as the
// root of the mount, because a container may see only a part of the hierarchy.
std::vector<std::string> FoldersFrom(const std::string& mount, std::string_view mounted,
                                     std::string_view group) {
  if (mounted == "/") mounted = "";
  // A group outside of the visible part has unknown limits; those of the visible root apply.
  const bool visible = group.starts_with(mounted) &&
                       (group.size() == mounted.size() || group[mounted.size()] == '/') &&
                       group.find("/..") == std::string_view::npos;
  std::string below(visible ? group.substr(mounted.size()) : "");
  while (below.ends_with('/')) below.pop_back();
  std::vector<std::string> folders = {mount + below};
  while (!below.empty()) {
    below.resize(below.rfind('/'));
    folders.push_back(mount + below);
  }
  return folders;
}

std::vector<Hierarchy> HierarchiesOfProcess(const std::string& root) {
  const std::map<std::string, std::string> groups = GroupsOfProcess(root);
  std::vector<Hierarchy> hierarchies;
  for (const std::string& line : LinesOf(root + "/proc/self/mountinfo")) {
    // The form is "36 35 0:32 /part /where rw,noexec shared:9 - cgroup name rw,memory".
    const std::vector<std::string> halves = absl::StrSplit(line, absl::MaxSplits(" - ", 1));
    if (halves.size() != 2) continue;
    const std::vector<std::string> mount = absl::StrSplit(halves[0], ' ');
    const std::vector<std::string> system = absl::StrSplit(halves[1], ' ');
    if (mount.size() < 5 || system.size() < 3) continue;
    Hierarchy found{.mount = root + WithoutEscapes(mount[4])};
    std::string group;
    if (system[0] == "cgroup") {
      found.version = Hierarchy::Version::kV1;
      for (const auto& option : absl::StrSplit(system[2], ',')) {
        const auto named = groups.find(std::string(option));
        if (named == groups.end()) continue;
        found.controllers.push_back(named->first);
        group = named->second;
      }
    } else if (system[0] == "cgroup2") {
      if (const auto unified = groups.find(""); unified != groups.end()) group = unified->second;
    }
    if (group.empty()) continue;
    found.folders = FoldersFrom(found.mount, WithoutEscapes(mount[3]), group);
    hierarchies.push_back(std::move(found));
  }
  return hierarchies;
}

bool Has(const Hierarchy& hierarchy, std::string_view controller) {
  return hierarchy.version == Hierarchy::Version::kV2 ||
         std::find(hierarchy.controllers.begin(), hierarchy.controllers.end(), controller) !=
             hierarchy.controllers.end();
}

// Returns the number in a file; nullopt for "max", other text, or a file that cannot be read.
std::optional<int64_t> NumberIn(const std::string& path) {
  const auto text = ReadFile(path, kLongestFile);
  int64_t number = 0;
  if (!text.ok() || !absl::SimpleAtoi(*text, &number)) return std::nullopt;
  return number;
}

// Returns the number in the line "name number", or 0.
int64_t NumberOfLine(const std::string& path, std::string_view name) {
  for (const std::string& line : LinesOf(path)) {
    std::string_view rest = line;
    int64_t number = 0;
    if (!rest.starts_with(name) || rest.size() <= name.size() || rest[name.size()] != ' ') continue;
    rest.remove_prefix(name.size() + 1);
    if (absl::SimpleAtoi(absl::string_view(rest.data(), rest.size()), &number)) return number;
  }
  return 0;
}

// Returns the size of the page cache, which the kernel reclaims before it kills processes.
int64_t CacheOf(const std::string& folder, Hierarchy::Version version) {
  const std::string stat = folder + "/memory.stat";
  const std::string prefix = version == Hierarchy::Version::kV1 ? "total_" : "";
  return NumberOfLine(stat, prefix + "inactive_file") + NumberOfLine(stat, prefix + "active_file");
}

void AddMemory(const Hierarchy& hierarchy, std::vector<GroupLimit>& limits) {
  const bool v1 = hierarchy.version == Hierarchy::Version::kV1;
  for (const std::string& folder : hierarchy.folders) {
    for (const char* name :
         {v1 ? "memory.limit_in_bytes" : "memory.max", v1 ? "" : "memory.high"}) {
      const std::string file = absl::StrCat(folder, "/", name);
      const auto limit = *name == 0 ? std::nullopt : NumberIn(file);
      if (!limit || *limit >= kNoLimit) continue;
      const int64_t used =
          NumberIn(folder + (v1 ? "/memory.usage_in_bytes" : "/memory.current")).value_or(0);
      limits.push_back({.file = file,
                        .limit = *limit,
                        .used = std::max<int64_t>(0, used - CacheOf(folder, hierarchy.version))});
    }
  }
  // Groups above the visible part also limit this one; version 1 reports the smallest limit of all.
  if (!v1) return;
  const std::string stat = hierarchy.folders.front() + "/memory.stat";
  const int64_t least = NumberOfLine(stat, "hierarchical_memory_limit");
  const bool known = std::any_of(limits.begin(), limits.end(),
                                 [&](const GroupLimit& limit) { return limit.limit <= least; });
  if (least > 0 && least < kNoLimit && !known) limits.push_back({.file = stat, .limit = least});
}

void AddProcesses(const Hierarchy& hierarchy, std::vector<GroupLimit>& limits) {
  for (const std::string& folder : hierarchy.folders) {
    const std::string file = folder + "/pids.max";
    if (const auto limit = NumberIn(file)) {
      limits.push_back(
          {.file = file, .limit = *limit, .used = NumberIn(folder + "/pids.current").value_or(0)});
    }
  }
}

void AddQuota(const std::string& file, int64_t quota, int64_t period,
              std::optional<GroupCpuQuota>& least) {
  if (quota <= 0 || period <= 0) return;
  const double processors = static_cast<double>(quota) / static_cast<double>(period);
  if (!least || processors < least->processors) least = {.file = file, .processors = processors};
}

void AddQuotas(const Hierarchy& hierarchy, std::optional<GroupCpuQuota>& least) {
  for (const std::string& folder : hierarchy.folders) {
    if (hierarchy.version == Hierarchy::Version::kV1) {
      const std::string file = folder + "/cpu.cfs_quota_us";
      AddQuota(file, NumberIn(file).value_or(-1),
               NumberIn(folder + "/cpu.cfs_period_us").value_or(0), least);
      continue;
    }
    const std::string file = folder + "/cpu.max";  // "50000 100000" or "max 100000"
    const std::vector<std::string> words =
        absl::StrSplit(absl::StripSuffix(ReadFile(file, kLongestFile).value_or(""), "\n"), ' ');
    int64_t quota = 0, period = 0;
    if (words.size() == 2 && absl::SimpleAtoi(words[0], &quota) &&
        absl::SimpleAtoi(words[1], &period))
      AddQuota(file, quota, period, least);
  }
}

}  // namespace

ControlGroupLimits ReadControlGroups(const std::string& root) {
  ControlGroupLimits limits;
  for (const Hierarchy& hierarchy : HierarchiesOfProcess(root)) {
    if (Has(hierarchy, "memory")) AddMemory(hierarchy, limits.memory);
    if (Has(hierarchy, "pids")) AddProcesses(hierarchy, limits.processes);
    if (Has(hierarchy, "cpu")) AddQuotas(hierarchy, limits.quota);
  }
  return limits;
}

std::string FindMemoryKillCounter(const std::string& root) {
  for (const Hierarchy& hierarchy : HierarchiesOfProcess(root)) {
    if (!Has(hierarchy, "memory")) continue;
    const bool v1 = hierarchy.version == Hierarchy::Version::kV1;
    const std::string file =
        hierarchy.folders.front() + (v1 ? "/memory.oom_control" : "/memory.events");
    if (!LinesOf(file).empty()) return file;
  }
  return "";
}

int64_t CountMemoryKills(const std::string& counter) { return NumberOfLine(counter, "oom_kill"); }

}  // namespace dl
