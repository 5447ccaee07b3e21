#include "tests/tidy/include_rules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "absl/strings/str_join.h"
#include "tests/tidy/code_words.h"

namespace dl::tidy {
namespace {

using Set = std::set<std::string>;

// Every folder may use base and itself. tests and bench may use everything.
const std::map<std::string, Set>& Edges() {
  static const Set kMaster = {"job",        "dataset", "averaging", "nn/conf",
                              "nn/metrics", "storage", "rpc",       "security"};
  static const Set kExecutor = {"job",        "dataset", "averaging", "nn/conf",
                                "nn/metrics", "storage", "rpc",       "nn"};
  static const Set kLaunch = {"job", "dataset", "averaging", "nn/conf",  "nn/metrics", "storage",
                              "rpc", "nn",      "master",    "executor", "security",   "web"};
  static const Set kInference = {"job", "dataset", "averaging", "nn/conf", "nn/metrics", "rpc",
                                 "nn",  "master",  "executor",  "launch",  "web"};
  static const std::map<std::string, Set> kEdges = {
      {"base", {}},
      {"averaging", {"job", "nn/conf"}},
      {"storage", {}},
      {"security", {}},
      {"rpc", {"security"}},
      {"nn/conf", {}},
      {"nn/metrics", {}},
      {"nn", {"nn/conf", "nn/metrics"}},
      {"speed", {"nn/conf", "nn/metrics", "nn"}},
      {"job", {"nn/conf"}},
      {"dataset", {"job", "nn/conf"}},
      {"master", kMaster},
      {"executor", kExecutor},
      {"web/documents", {"rpc", "job", "nn/conf", "nn/metrics"}},
      {"web/schemas", {}},
      {"web", {"web/documents", "web/schemas", "rpc", "security", "job", "nn/conf", "nn/metrics"}},
      {"launch", kLaunch},
      {"inference", kInference},
      {"cli",
       {"inference", "launch", "speed", "web/documents", "web/schemas", "job", "nn/conf", "dataset",
        "rpc", "security"}},
      {"examples", {"launch", "job", "nn/conf"}},
  };
  return kEdges;
}

// Returns the part of the table that a path or a target's name belongs to, or "" if it is not part
// of the product.
std::string PartOf(const std::string& path) {
  for (const char* leaf : {"nn/conf", "nn/metrics", "web/documents", "web/schemas"}) {
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

// This fuzz test decodes calls as the server does.
constexpr char kWireFuzz[] = "tests/fuzz/wire.cc";

// Tests of the engine, whose folder has no subfolders.
constexpr char kNnTests[] = "tests/unit/nn/";

struct ThirdParty {
  std::string prefix;              // of the header's name
  std::vector<std::string> where;  // paths that may include it; their unit tests too
};

const std::vector<ThirdParty>& ThirdParties() {
  static const std::vector<ThirdParty> kTable = {
      {"thrift/", {"rpc/", kWireFuzz}},
      {"rocksdb/", {"storage/"}},
      {"dnnl", {"nn/backend/onednn/"}},
      {"oneapi/", {"nn/backend/onednn/"}},
      // Layers use nn/backend/primitive.h, not the kernels that it holds.
      {"nn/backend/kernel.h", {"nn/backend/", kNnTests}},
      {"nn/backend/onednn/", {"nn/backend/", kNnTests, "tests/golden/", "bench/nn/"}},
      {"nn/backend/own/", {"nn/backend/", kNnTests, "bench/nn/"}},
      {"CLI/", {"cli/"}},
      {"boost/", {"web/http/"}},
      {"kainjow/", {"web/pages/"}},
      {"archive", {"inference/export/", "dataset/readers/"}},
      {"onnx/", {"inference/onnx/", "tests/onnx/"}},
      {"google/protobuf/", {"inference/onnx/", "tests/onnx/"}},
      {"spdlog/", {"base/"}},
      {"fmt/", {"base/"}},
      {"nlohmann/", {"base/json.h", "base/json_fwd.h", "cmake/precompiled.h"}},
      {"openssl/", {"base/", "security/", "bench/openssl_pipe.cc"}},
      {"xxhash.h", {"base/"}},
      {"zlib.h", {"dataset/", "tests/fuzz/images.cc"}},
      {"png.h", {"dataset/"}},
      {"jpeglib.h", {"dataset/"}},
      {"jerror.h", {"dataset/readers/"}},
      {"zstd.h", {"dataset/", "storage/series/"}},
      {"gtest/", {"tests/", "bench/core_limits/"}},
      {"gmock/", {"tests/"}},
      {"Random123/", {"tests/unit/base/"}},
      {"omp.h", {"nn/backend/"}},
      {"ucontext.h", {"tests/sim/fiber.cc"}},
      {"absl/synchronization/",
       {}},                  // use base/mutex.h: Debian's library is not instrumented for TSan
      {"absl/random/", {}},  // use base/philox.h
      {"absl/time/", {}},    // use base/clock.h
      {"absl/", {""}},
  };
  return kTable;
}

bool IsSystemHeader(const std::string& name) {
  static const Set kSystem = {
      "cpuid.h", "dirent.h",    "dlfcn.h",     "errno.h",     "fcntl.h",     "float.h",
      "glob.h",  "immintrin.h", "ifaddrs.h",   "limits.h",    "malloc.h",    "math.h",
      "netdb.h", "poll.h",      "pthread.h",   "pwd.h",       "sched.h",     "signal.h",
      "spawn.h", "stdint.h",    "stdio.h",     "stdlib.h",    "string.h",    "termios.h",
      "time.h",  "unistd.h",    "x86intrin.h", "xmmintrin.h", "pmmintrin.h", "emmintrin.h",
      "elf.h"};
  if (name.find('.') == std::string::npos && name.find('/') == std::string::npos)
    return true;  // standard headers such as <vector>
  for (const char* folder : {"sys/", "net/", "netinet/", "arpa/", "linux/", "sanitizer/"}) {
    if (name.starts_with(folder)) return true;
  }
  return kSystem.contains(name);
}

// Returns whether a path is in a folder. Unit tests belong to the folder that they test:
// tests/unit/storage/x counts as storage/x.
bool IsIn(const std::string& path, const std::string& where) {
  return path.starts_with(where) || path.starts_with("tests/unit/" + where);
}

// The components of a folder, in order. A component consists of the folders and files whose names
// begin with one of these prefixes; the longest prefix decides. "" stands for all files outside the
// other components. An order without "" names every file of its folder.
using Component = std::vector<std::string>;
struct ComponentOrder {
  std::string folder;
  std::vector<Component> components;
  // kApart: the prefixes of a component are parts that may not use one another.
  enum class Parts { kTogether, kApart } parts = Parts::kTogether;
};

// docs/architecture.md describes each component.
const std::vector<ComponentOrder>& Rows() {
  static const std::vector<ComponentOrder> kRows = {
      {"master/", {{"core/"}, {"merge/"}, {""}, {"gateway/"}, {"master."}}},
      {"master/core/",
       {{"job/"},
        {"views/"},
        {"records/"},
        {""},
        {"fleet/"},
        {"machine/"},
        {"leasing/"},
        {"client_requests/"},
        {"machine/machine."},
        {"master_core."}}},
      {"master/core/machine/",
       {{"jobs.", "kept_for.", "ready_queue.", "requests."},
        {"fleet_changes.", "job_records.", "open_units."},
        {"machine_component."},
        {"backoffs.", "gathering.", "job_logs.", "preparations.", "queue.", "round_series.",
         "sources.", "timeline_recording."},
        {"checkpoints.", "trust."},
        {"endings.", "evaluation.", "failures.", "round_opening."},
        {"lifecycle.", "unit_progress."},
        {"gather_results.", "recovery.", "results."},
        {"contracts.", "rollbacks."},
        {"job_start.", "rounds.", "waiting."},
        {"admission."},
        {"upkeep."},
        {"machine."}},
       ComponentOrder::Parts::kApart},
      {"master/gateway/",
       {{""},
        {"master_event_queue.", "pending_requests.", "writer."},
        {"core_shell."},
        {"actions.", "queries."},
        {"retention."},
        {"effect_dispatcher."},
        {"gateway."}}},
      {"master/merge/",
       {{""},
        {"round_states.", "staging.", "gathers.", "gathered_round.", "offered_parts."},
        {"running_jobs."},
        {"merge_work.", "checkpoint_writing."},
        {"receiving."},
        {"merge_engine."}}},
      // The implementations of kernel.h do not use each other.
      {"nn/backend/",
       {{""},
        {"onednn/", "own/"},
        {"convolution_choice.cc", "dense_gradient_choice.cc", "kernel_set_choice.cc",
         "pooling_primitive.cc", "reorder_choice.cc", "weight_gradient_choice.cc"}},
       ComponentOrder::Parts::kApart},
      {"executor/",
       {{"core/"},
        {""},
        {"engine_memory.", "job_engine."},
        {"unit_runner."},
        {"slot.", "make_announcement."},
        {"executor_services."},
        {"compute_threads."},
        {"control_lanes.", "bulk_lane."},
        {"executor."}}},
      {"executor/core/",
       {{""},
        {"registration."},
        {"slots."},
        {"gather_requests.", "offers."},
        {"delivery."},
        {"computing."},
        {"lease_requests."},
        {"heartbeats."},
        {"executor_core."}}},
  };
  return kRows;
}

struct Place {
  size_t component = 0;  // index in the row
  std::string part;      // prefix of the file's name
};

// Returns the place of a file in the row. None: the row does not name it.
std::optional<Place> PlaceOf(const std::string& path, const ComponentOrder& row) {
  if (!path.starts_with(row.folder)) return std::nullopt;
  const std::string name = path.substr(row.folder.size());
  std::optional<Place> place;
  for (size_t i = 0; i < row.components.size(); ++i) {
    for (const std::string& part : row.components[i]) {
      if (name.starts_with(part) && (!place || part.size() > place->part.size())) place = {i, part};
    }
  }
  return place;
}

// Returns why a file at `from` may not use a file at `to`; empty if it may.
std::string Breach(const ComponentOrder& row, const Place& from, const Place& to) {
  if (to.component > from.component) return "which comes after it in the order of " + row.folder;
  const bool apart = row.parts == ComponentOrder::Parts::kApart;
  if (apart && to.component == from.component && to.part != from.part)
    return "which is a part of the same layer of " + row.folder;
  return "";
}

}  // namespace

Violations CheckComponentOrder(const SourceFile& file) {
  Violations found;
  if (!IsCode(file)) return found;
  for (const ComponentOrder& row : Rows()) {
    if (!file.path.starts_with(row.folder)) continue;
    const auto from = PlaceOf(file.path, row);
    if (!from) {
      found.push_back({file.path, 1,
                       "is not in the order of " + row.folder + " (tests/tidy/include_rules.cc)"});
      continue;
    }
    for (const Include& include : IncludesOf(file.text)) {
      const auto to = PlaceOf(include.name, row);
      const std::string breach = to ? Breach(row, *from, *to) : "";
      if (breach.empty()) continue;
      found.push_back(
          {file.path, include.line,
           "may not use " + include.name + ", " + breach + " (tests/tidy/include_rules.cc)"});
    }
  }
  return found;
}

Violations CheckComponentsExist(const SourceTree& tree) {
  Violations found;
  for (const ComponentOrder& row : Rows()) {
    for (const Component& component : row.components) {
      for (const std::string& of_component : component) {
        const std::string name = row.folder + of_component;
        if (std::ranges::none_of(
                tree, [&](const SourceFile& file) { return file.path.starts_with(name); }))
          found.push_back(
              {name, 0,
               "is in an order of components (tests/tidy/include_rules.cc) but not in the tree"});
      }
    }
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
    if (part == "web_documents" || part == "web_schemas") part[3] = '/';
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
               !IsIn(file.path, "rpc/") && !IsIn(file.path, kWireFuzz)) {
      found.push_back({file.path, include.line,
                       "\"" + include.name +
                           "\": includes are root-relative, and Thrift's generated headers belong "
                           "to rpc/ only"});
    }
  }
  return found;
}

}  // namespace dl::tidy
