#include "cli/settings.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/suggest.h"
#include "cli/exit_code.h"
#include "job/keys.h"

namespace dl::cli {
namespace {

std::string TextOf(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// "layers[2].units" and "layers.2.units" are one key.
std::string Canonical(std::string_view path) {
  return absl::StrReplaceAll(std::string(path), {{"[", "."}, {"]", ""}});
}

// "" for a key that some job spec has, whatever its types and lists are.
std::string UnknownKey(std::string_view path) {
  std::vector<std::string> known;
  for (const job::KeyInfo& key : job::Keys())
    known.push_back(absl::StrReplaceAll(std::string(key.path), {{"[]", ".0"}}));
  std::string first_entries;  // lists are as long as the job's: any index stands for the first
  for (const std::string& step : std::vector<std::string>(absl::StrSplit(Canonical(path), '.'))) {
    const bool index = !step.empty() && step.find_first_not_of("0123456789") == std::string::npos;
    absl::StrAppend(&first_entries, first_entries.empty() ? "" : ".", index ? "0" : step);
  }
  for (const std::string& key : known) {
    if (key == first_entries || key.starts_with(first_entries + ".0")) return "";
    // An entry of a list of values: model.layers.0.kernel.1
    if (first_entries == key + ".0") return "";
  }
  return absl::StrCat("a job spec has no such key", DidYouMean(first_entries, known));
}

void Flatten(const Json& json, const std::string& path,
             std::map<std::string, std::string>& leaves) {
  if (json.is_object() && !json.empty()) {
    for (const auto& [key, value] : json.items())
      Flatten(value, path.empty() ? key : path + "." + key, leaves);
  } else if (json.is_array() && !json.empty() && json.front().is_object()) {
    for (size_t i = 0; i < json.size(); ++i) Flatten(json[i], absl::StrCat(path, ".", i), leaves);
  } else {
    leaves[path] = TextOf(json);
  }
}

}  // namespace

bool IsFromLine(const Setting& setting) {
  return setting.origin.starts_with("flag") || setting.origin.starts_with("--set");
}

StatusOr<ConfigFile> ParseConfigFile(std::string_view text, const std::string& path) {
  DL_ASSIGN_OR_RETURN(Json json, ParseJson(text, path));
  ConfigFile file{.path = path};
  JsonObjectReader reader(json, "");
  reader.String("master", file.master);
  reader.String("data_dir", file.data_dir);
  if (const Json* set = reader.Child("set"); set != nullptr) {
    if (set->is_object()) {
      for (const auto& [key, value] : set->items()) {
        if (std::string mistake = UnknownKey(key); !mistake.empty())
          reader.AddError("set." + key, mistake);
        file.set.push_back({key, {TextOf(value), "file " + path}});
      }
    } else {
      reader.AddError("set", "must be an object of job keys and values");
    }
  }
  if (Status status = reader.Finish(); !status.ok()) {
    return InvalidArgument({.message = std::string(status.message()),
                            .where = path,
                            .remedy = "A config file has the keys master, data_dir and set"});
  }
  return file;
}

const std::vector<ShortcutKey>& ShortcutKeys() {
  static const std::vector<ShortcutKey> kKeys = {
      {"--epochs", "training.epochs", "DL_EPOCHS", "N", "Passes over the training set"},
      {"--workers", "training.workers", "DL_WORKERS", "M",
       "Logical workers: part of the result, not a number of processes"},
      {"--averaging-frequency", "training.averaging_frequency", "DL_AVERAGING_FREQUENCY", "H",
       "Steps of each worker between two merges"},
      {"--batch-size", "training.batch_size", "DL_BATCH_SIZE", "B", "Examples per worker and step"},
      {"--seed", "seed", "DL_SEED", "N", "Seed of everything random"},
      {"--name", "name", "DL_NAME", "NAME", "Name of the job"},
      {"--isa", "training.isa", "DL_ISA", "ISA", "Instruction set of the kernels: avx2 or avx512"},
  };
  return kKeys;
}

StatusOr<Settings> ResolveSettings(const SettingSources& sources) {
  Settings settings{.master = {"local", "built-in"}, .data_dir = {"", "built-in"}};
  for (const ConfigFile& file : sources.files) {
    if (!file.master.empty()) settings.master = {file.master, "file " + file.path};
    if (!file.data_dir.empty()) settings.data_dir = {file.data_dir, "file " + file.path};
    settings.job.insert(settings.job.end(), file.set.begin(), file.set.end());
  }
  const auto environment = [&](std::string_view name) -> const std::string* {
    auto found = sources.environment.find(std::string(name));
    return found == sources.environment.end() || found->second.empty() ? nullptr : &found->second;
  };
  if (const std::string* value = environment("DL_MASTER"))
    settings.master = {*value, "environment DL_MASTER"};
  if (const std::string* value = environment("DL_DATA_DIR"))
    settings.data_dir = {*value, "environment DL_DATA_DIR"};
  for (const ShortcutKey& key : ShortcutKeys()) {
    if (const std::string* value = environment(key.environment)) {
      settings.job.push_back(
          {std::string(key.path),
           {*value, absl::StrCat("environment ", std::string(key.environment))}});
    }
  }
  for (const std::string& set : sources.sets) {
    const size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      return UsageError(
          {.message = absl::StrCat("--set \"", set, "\" is not of the form path=value"),
           .where = "--set",
           .remedy = "For example: --set training.epochs=3"});
    }
    settings.job.push_back({set.substr(0, equals), {set.substr(equals + 1), "--set"}});
  }
  for (const ShortcutKey& key : ShortcutKeys()) {
    auto found = sources.common_flags.find(std::string(key.flag));
    if (found == sources.common_flags.end()) continue;
    settings.job.push_back(
        {std::string(key.path), {found->second, absl::StrCat("flag ", std::string(key.flag))}});
  }
  if (!sources.master_flag.empty()) settings.master = {sources.master_flag, "flag --master"};
  if (!sources.data_dir_flag.empty())
    settings.data_dir = {sources.data_dir_flag, "flag --data-dir"};
  return settings;
}

Status ApplyJobSettings(const Settings& settings, Json& document) {
  for (const JobSetting& job : settings.job) {
    const Status status = job::SetByPath(document, job.path, job.setting.value);
    if (status.ok()) continue;
    const std::string where = ErrorWhere(status);
    ErrorText text{
        .message = std::string(status.message()),
        .where = absl::StrCat(job.setting.origin, ", ", where.empty() ? job.path : where),
        .remedy = ErrorRemedy(status)};
    return IsFromLine(job.setting) ? UsageError(std::move(text)) : InvalidArgument(std::move(text));
  }
  return absl::OkStatus();
}

std::vector<ShownSetting> ExplainJob(const Settings& settings, const Json& resolved,
                                     const Json& written, const std::string& author) {
  std::map<std::string, std::string> leaves, stated, origins;
  Flatten(resolved, "", leaves);
  Flatten(written, "", stated);
  for (const JobSetting& job : settings.job) origins[Canonical(job.path)] = job.setting.origin;
  std::vector<ShownSetting> shown;
  for (const auto& [key, value] : leaves) {
    std::string origin = stated.contains(key) ? author : "built-in";
    // A setting of an object ({"type": "adam"}) decides everything below it.
    for (std::string path = key;;) {
      if (auto found = origins.find(path); found != origins.end()) {
        origin = found->second;
        break;
      }
      const size_t dot = path.rfind('.');
      if (dot == std::string::npos) break;
      path.resize(dot);
    }
    shown.push_back({key, value, origin});
  }
  return shown;
}

}  // namespace dl::cli
