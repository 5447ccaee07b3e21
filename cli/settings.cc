#include "cli/settings.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "cli/exit_code.h"
#include "job/initial_weights.h"
#include "job/job_keys.h"

namespace dl::cli {
namespace {

std::string TextOf(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Makes "layers[2].units" and "layers.2.units" equal.
std::string Canonical(std::string_view path) {
  return absl::StrReplaceAll(std::string(path), {{"[", "."}, {"]", ""}});
}

void Flatten(const Json& json, const std::string& path,
             std::map<std::string, std::string>& leaves) {
  if (json.is_object()) {  // an empty object has no leaves
    for (const auto& [key, value] : json.items())
      Flatten(value, path.empty() ? key : path + "." + key, leaves);
  } else if (json.is_array() && !json.empty() && json.front().is_object()) {
    for (size_t i = 0; i < json.size(); ++i) Flatten(json[i], absl::StrCat(path, ".", i), leaves);
  } else {
    leaves[path] = TextOf(json);
  }
}

// Returns whether a setting for `path` decides `key`: for the key itself, for an object or number
// of which it is a part ({"type": "adam"}; a plain number for a schedule), or for an entry of its
// list.
bool Concerns(const std::string& path, const std::string& key) {
  return path == key || key.starts_with(path + ".") || path.starts_with(key + ".");
}

// Returns the key from which the default of `key` is derived; "" if there is none. `leaves`
// contains all keys.
std::string DefaultOf(const std::string& key, const std::map<std::string, std::string>& leaves) {
  if (key == "name" || key == "seed") return "model." + key;
  if (!key.ends_with(".stride")) return "";
  const std::string layer = key.substr(0, key.rfind('.'));
  const auto type = leaves.find(layer + ".type");
  return type != leaves.end() && type->second.ends_with("_pool2d") ? layer + ".kernel" : "";
}

}  // namespace

bool IsFromLine(const Setting& setting) {
  return setting.origin.starts_with("flag") || setting.origin.starts_with("--set");
}

Status SettingError(const Setting& setting, ErrorText text) {
  const bool is_configured =
      setting.origin.starts_with("environment") || setting.origin.starts_with("file");
  text.where = setting.origin;
  return WithExitCode(InvalidArgument(std::move(text)), is_configured ? kInvalidConfig : kUsage);
}

StatusOr<ConfigFile> ParseConfigFile(std::string_view text, const std::string& path) {
  DL_ASSIGN_OR_RETURN(Json json, ParseJson(text, path));
  ConfigFile file{.path = path};
  JsonObjectReader reader(json, "");
  std::string remedy;
  for (const PlaceKey& place : PlaceKeys()) {
    if (reader.Has(place.key)) reader.String(place.key, file.places[std::string(place.key)]);
  }
  if (const Json* set = reader.Child("set"); set != nullptr) {
    if (set->is_object()) {
      for (const auto& [key, value] : set->items()) {
        StatusOr<std::string> text = job::SettingText(key, value);
        const Status status = text.ok() ? job::CheckSetting(key, *text) : text.status();
        if (!status.ok()) {
          reader.AddError("set." + key, std::string(status.message()));
          remedy = ErrorRemedy(status);
          continue;
        }
        file.set.push_back({key, {*std::move(text), "file " + path}});
      }
    } else {
      reader.AddError("set", "must be an object of job keys and values");
    }
  }
  if (Status status = reader.Finish(); !status.ok()) {
    return InvalidArgument(
        {.message = std::string(status.message()),
         .where = path,
         .remedy = reader.errors().size() == 1 && !remedy.empty()
                       ? remedy
                       : "A config file has the keys master, data_dir, "
                         "token_file, master_user, tls_ca, tls_cert, tls_key and "
                         "set; "
                         "docs/job-spec.md lists the keys of set"});
  }
  return file;
}

const std::vector<PlaceKey>& PlaceKeys() {
  static const std::vector<PlaceKey> kKeys = {
      {"--master", "master", "DL_MASTER", "WHERE",
       "Target of the command: local[N], local[*], local-cluster[N], slurm[N], mpi or "
       "dl://host:port. "
       "Default: local",
       &Settings::master},
      {"--data-dir", "data_dir", "DL_DATA_DIR", "DIR",
       "State folder of a local master. Default: ~/.local/state/paravane", &Settings::data_dir},
      {"--token-file", "token_file", "DL_TOKEN_FILE", "FILE",
       "File with the access token for a standing master; - reads standard input. Default: the "
       "token of your own master on this machine",
       &Settings::token_file},
      {"--master-user", "master_user", "DL_MASTER_USER", "USER",
       "Owner of a standing master on this machine that has no keys and belongs to another user",
       &Settings::master_user},
      {"--tls-ca", "tls_ca", "DL_TLS_CA", "FILE",
       "CA of the master's certificate (PEM). Default: the CA whose fingerprint is in the token",
       &Settings::tls_ca},
      {"--tls-cert", "tls_cert", "DL_TLS_CERT", "FILE",
       "Client certificate (PEM), used instead of a token", &Settings::tls_cert},
      {"--tls-key", "tls_key", "DL_TLS_KEY", "FILE", "Private key of --tls-cert (PEM)",
       &Settings::tls_key},
  };
  return kKeys;
}

const std::vector<ShortcutKey>& ShortcutKeys() {
  static const std::vector<ShortcutKey> kKeys = {
      {"--epochs", "training.epochs", "DL_EPOCHS", "N", "Number of passes over the training set"},
      {"--workers", "training.workers", "DL_WORKERS", "M",
       "Number of logical workers; changes the result"},
      {"--averaging-frequency", "training.averaging_frequency", "DL_AVERAGING_FREQUENCY", "H",
       "Number of steps of each worker between two merges"},
      {"--batch-size", "training.batch_size", "DL_BATCH_SIZE", "B",
       "Number of examples per worker and step"},
      {"--seed", "seed", "DL_SEED", "N", "Random seed"},
      {"--name", "name", "DL_NAME", "NAME", "Name of the job"},
      {"--freeze-up-to", "model.freeze_up_to", "DL_FREEZE_UP_TO", "LAYER",
       "Freeze this layer and all layers before it"},
      {"--isa", "training.isa", "DL_ISA", "ISA",
       "Instruction set of the kernels: avx2 or avx512; for bf16 avx512_bf16 or amx"},
      {"--kernels", "training.kernels", "DL_KERNELS", "native|portable",
       "Kernels: the fastest of the machine, or those with the same bits on every CPU"},
      {"--precision", "training.precision", "DL_PRECISION", "float32|bf16",
       "Type of activations and of the factors of products"},
  };
  return kKeys;
}

StatusOr<Settings> ResolveSettings(const SettingSources& sources) {
  Settings settings;
  for (const PlaceKey& place : PlaceKeys()) (settings.*place.setting).origin = "built-in";
  settings.master.value = "local";
  for (const ConfigFile& file : sources.files) {
    for (const PlaceKey& place : PlaceKeys()) {
      const auto stated = file.places.find(std::string(place.key));
      if (stated != file.places.end() && !stated->second.empty())
        settings.*place.setting = {stated->second, "file " + file.path};
    }
    settings.job.insert(settings.job.end(), file.set.begin(), file.set.end());
  }
  const auto environment = [&](std::string_view name) -> const std::string* {
    auto found = sources.environment.find(std::string(name));
    return found == sources.environment.end() || found->second.empty() ? nullptr : &found->second;
  };
  for (const PlaceKey& place : PlaceKeys()) {
    const std::string name(place.environment);
    if (const std::string* value = environment(name))
      settings.*place.setting = {*value, "environment " + name};
  }
  for (const ShortcutKey& key : ShortcutKeys()) {
    if (const std::string* value = environment(key.environment)) {
      settings.job.push_back(
          {std::string(key.path),
           {*value, absl::StrCat("environment ", std::string(key.environment))}});
    }
  }
  // Before settings of its members.
  if (!sources.weights.empty()) {
    const Json source = {{"type", job::SafetensorsWeights::kTag}, {"path", sources.weights}};
    settings.job.push_back({"initial_weights", {JsonText(source), "flag --weights"}});
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
  for (const PlaceKey& place : PlaceKeys()) {
    const std::string flag(place.flag);
    const auto given = sources.place_flags.find(flag);
    if (given != sources.place_flags.end() && !given->second.empty())
      settings.*place.setting = {given->second, "flag " + flag};
  }
  return settings;
}

Status ApplyJobSettings(const Settings& settings, Json& document) {
  Status first;
  for (const JobSetting& job : settings.job) {
    const Status status = job::SetByPath(document, job.path, job.setting.value);
    if (status.ok() || !first.ok()) continue;
    ErrorText text{.message = std::string(status.message()),
                   .where = absl::StrCat(job.setting.origin, ", ", job.path),
                   .remedy = ErrorRemedy(status)};
    first =
        IsFromLine(job.setting) ? UsageError(std::move(text)) : InvalidArgument(std::move(text));
  }
  return first;
}

std::vector<ShownSetting> ExplainJob(const Settings& settings, const Json& resolved,
                                     const Json& written, const std::string& author) {
  std::map<std::string, std::string> leaves, stated;
  Flatten(resolved, "", leaves);
  Flatten(written, "", stated);
  // Returns the origin of the last setting for `key`, else the author, else "".
  const auto decider = [&](const std::string& key) -> std::string {
    for (size_t i = settings.job.size(); i-- > 0;) {
      if (Concerns(Canonical(settings.job[i].path), key)) return settings.job[i].setting.origin;
    }
    for (const auto& [path, value] : stated) {
      if (Concerns(path, key)) return author;
    }
    return "";
  };
  std::vector<ShownSetting> shown;
  for (const auto& [key, value] : leaves) {
    std::string origin = decider(key);
    if (origin.empty()) {
      if (const std::string model = DefaultOf(key, leaves); !model.empty()) origin = decider(model);
    }
    shown.push_back({key, value, origin.empty() ? "built-in" : origin});
  }
  return shown;
}

}  // namespace dl::cli
