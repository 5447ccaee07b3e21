#include "cli/clusters/hosts_file.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/label.h"
#include "base/limits.h"
#include "base/suggest.h"
#include "cli/flags.h"
#include "rpc/executor_name.h"

namespace dl::cli {
namespace {

Status CheckSlots(const std::string& value) {
  int64_t slots = 0;
  if (absl::SimpleAtoi(value, &slots) && slots >= 1 && slots <= limits::kMaxSlots)
    return absl::OkStatus();
  return InvalidArgument({.message = absl::StrCat("is between 1 and ", limits::kMaxSlots)});
}

Status CheckIsa(const std::string& value) {
  if (nn::RankOfIsa(value) < std::size(nn::kInstructionSets)) return absl::OkStatus();
  return InvalidArgument({.message = "is avx2, avx512, avx512_bf16 or amx"});
}

Status CheckName(const std::string& value) {
  if (rpc::IsExecutorName(value) && !value.starts_with('.')) return absl::OkStatus();
  return InvalidArgument({.message = absl::StrCat("has ", rpc::kExecutorNameRule)});
}

Status CheckLabel(const std::string& value) {
  if (IsLabel(value)) return absl::OkStatus();
  return InvalidArgument({.message = absl::StrCat("is ", kLabelRule)});
}

Status CheckSize(const std::string& value) { return ParseSize(value).status(); }

Status CheckPath(const std::string&) { return absl::OkStatus(); }

struct Key {
  std::string_view key;
  Status (*check)(const std::string& value);
};
// Each key is a flag of `executor`. Only labels may be repeated.
constexpr Key kKeys[] = {
    {"name", CheckName},           {"slots", CheckSlots},      {"isa", CheckIsa},
    {"memory", CheckSize},         {"cache-bytes", CheckSize}, {"cache-dir", CheckPath},
    {"executor-label", CheckLabel}};

// Returns whether the text is a host that ssh cannot take for a flag, and that is one word for a
// shell.
bool IsHost(std::string_view host) {
  return !host.empty() && host.front() != '-' && host.front() != '@' && host.back() != '@' &&
         std::ranges::all_of(host, [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  std::string_view("._-@:[]%").find(c) != std::string_view::npos;
         });
}

// Returns [USER@]HOST as ssh takes it, which is without the brackets of an IPv6 address. Other
// programs' hosts files have ports, numbers of slots and ranges in the host.
StatusOr<std::string> ParseHost(const std::string& word) {
  if (!IsHost(word)) {
    return InvalidArgument({.message = absl::StrCat("\"", word, "\" is not a machine"),
                            .remedy = "Begin each line with a host name, an address or USER@HOST"});
  }
  const size_t user = word.rfind('@') + 1;  // 0 without a user
  std::string host = word.substr(user);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  const auto colons = std::ranges::count(host, ':');
  if (colons == 1 || host.find("]:") != std::string::npos) {
    return InvalidArgument({.message = absl::StrCat("\"", word, "\" has a number after its host"),
                            .remedy = "Write slots=N after the host for a number of slots; a port "
                                      "of ssh belongs in ~/.ssh/config"});
  }
  if (host.empty() || host.find_first_of("[]") != std::string::npos) {
    return InvalidArgument({.message = absl::StrCat("\"", word, "\" is not one machine"),
                            .remedy = "Write one line per machine; ranges are not known"});
  }
  return word.substr(0, user) + host;
}

StatusOr<HostEntry> ParseLine(const std::vector<std::string>& words) {
  HostEntry entry;
  DL_ASSIGN_OR_RETURN(entry.host, ParseHost(words.front()));
  std::set<std::string> seen;
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    const std::string key = words[i].substr(0, equals);
    const Key* const known = std::ranges::find(kKeys, key, &Key::key);
    if (known == std::end(kKeys) || equals == std::string::npos) {
      std::vector<std::string> keys;
      for (const Key& each : kKeys) keys.emplace_back(each.key);
      return InvalidArgument(
          {.message = absl::StrCat("\"", words[i], "\" is not known", DidYouMean(key, keys)),
           .remedy = "Write KEY=VALUE after the host: slots, name, isa, memory, cache-dir, "
                     "cache-bytes, executor-label"});
    }
    const std::string value = words[i].substr(equals + 1);
    if (value.empty() || (key != "executor-label" && !seen.insert(key).second)) {
      return InvalidArgument(
          {.message = absl::StrCat(key, value.empty() ? " has no value" : " occurs twice")});
    }
    if (const Status status = known->check(value); !status.ok()) {
      return InvalidArgument(
          {.message = absl::StrCat(key, "=", value, ": it ", std::string(status.message())),
           .remedy = ErrorRemedy(status)});
    }
    if (key == "name") {
      entry.name = value;
    } else {
      entry.flags.insert(entry.flags.end(), {absl::StrCat("--", key), value});
    }
  }
  if (entry.name.empty()) entry.name = entry.host.substr(entry.host.rfind('@') + 1);
  if (!CheckName(entry.name).ok()) {
    return InvalidArgument(
        {.message = absl::StrCat("an executor cannot be called \"", entry.name, "\""),
         .remedy = "Give it another name: name=node1"});
  }
  return entry;
}

// Editors on other systems end lines with \r\n or \r, and begin a file with a byte order mark.
std::string WithUnixLines(std::string text) {
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return absl::StrReplaceAll(text, {{"\r\n", "\n"}, {"\r", "\n"}});
}

}  // namespace

StatusOr<std::vector<HostEntry>> ParseHostsFile(const std::string& text,
                                                const std::string& source) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
      text.find('\0') != std::string::npos) {
    return InvalidArgument({.message = "the file is not text in UTF-8; it seems to be in UTF-16",
                            .where = source,
                            .remedy = "Save it as UTF-8"});
  }
  std::vector<HostEntry> hosts;
  std::set<std::string> names;
  int64_t number = 0;
  for (std::string line : std::vector<std::string>(absl::StrSplit(WithUnixLines(text), '\n'))) {
    ++number;
    line = line.substr(0, line.find('#'));
    const std::vector<std::string> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    if (words.empty()) continue;
    auto entry = ParseLine(words);
    if (entry.ok() && !names.insert(entry->name).second) {
      entry = InvalidArgument(
          {.message = absl::StrCat("there is an executor \"", entry->name, "\" already"),
           .remedy = "Write one line per machine, with slots=N, or give another name=NAME"});
    }
    if (!entry.ok()) {
      return InvalidArgument({.message = std::string(entry.status().message()),
                              .where = absl::StrCat(source, ":", number),
                              .remedy = ErrorRemedy(entry.status())});
    }
    hosts.push_back(*std::move(entry));
  }
  if (hosts.empty() || std::ssize(hosts) > limits::kMaxHosts) {
    return InvalidArgument({.message = hosts.empty()
                                           ? "the file names no machine"
                                           : absl::StrCat("more than ", limits::kMaxHosts,
                                                          " machines are named in the file"),
                            .where = source,
                            .remedy = "Write one line per machine: node1 slots=4"});
  }
  return hosts;
}

}  // namespace dl::cli
