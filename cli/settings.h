// The settings of a command and their origins. Precedence: flag > --set > DL_* environment > config
// files > job program or job file > built-in. Exception: --set has precedence over --weights. All
// functions are pure: environment and files are arguments.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"

namespace dl::cli {

struct Setting {
  std::string value;
  std::string origin;  // "flag --epochs", "--set", "environment DL_EPOCHS", "file PATH", "built-in"
};

// Returns whether the setting is a flag or a --set.
bool IsFromLine(const Setting& setting);

// Returns InvalidArgument about the value of a setting, with its origin as the place. The exit code
// is kInvalidConfig for a value of the environment or of a file, else kUsage: a flag is wrong, or
// the command line lacks it.
Status SettingError(const Setting& setting, ErrorText text);

// A value for one key of the job spec.
struct JobSetting {
  std::string path;  // "training.epochs"
  Setting setting;
};

// The content of a config file. Keys are those of PlaceKeys() and "set":
// {"master": "...", "data_dir": "...", "token_file": "...", "set": {"training.epochs": 3}}
struct ConfigFile {
  std::string path;
  std::map<std::string, std::string> places;  // by PlaceKey::key; only those in the file
  std::vector<JobSetting> set;
};
// Parses a config file. Returns InvalidArgument, which names `path`, for other content.
StatusOr<ConfigFile> ParseConfigFile(std::string_view text, const std::string& path);

// A flag for a common key of jobs, with the key and the environment variable of the same meaning.
struct ShortcutKey {
  std::string_view flag;         // "--epochs"
  std::string_view path;         // "training.epochs"
  std::string_view environment;  // "DL_EPOCHS"
  std::string_view metavar;
  std::string_view help;
};
const std::vector<ShortcutKey>& ShortcutKeys();

struct Settings;

// A setting that selects the cluster of a command or its credentials.
struct PlaceKey {
  std::string_view flag;         // "--token-file"
  std::string_view key;          // key in a config file: "token_file"
  std::string_view environment;  // "DL_TOKEN_FILE"
  std::string_view metavar;
  std::string_view help;
  Setting Settings::*setting;
};
const std::vector<PlaceKey>& PlaceKeys();

struct SettingSources {
  std::map<std::string, std::string> place_flags;   // by PlaceKey::flag; empty: not given
  std::map<std::string, std::string> common_flags;  // by ShortcutKey::flag; only those given
  std::string weights;            // value of --weights: a file of initial weights; empty: not given
  std::vector<std::string> sets;  // "path=value" in the order of the command line
  std::map<std::string, std::string> environment;  // only known DL_* names are read
  std::vector<ConfigFile> files;                   // later files win
};

struct Settings {
  Setting master;    // built-in: "local"
  Setting data_dir;  // empty: launch::StateDir decides
  // Credentials of the client, and the expected identity of a standing master. Empty:
  // launch/credentials.h decides.
  Setting token_file, master_user, tls_ca, tls_cert, tls_key;
  // Lowest precedence first: applied in this order, so the last one wins.
  std::vector<JobSetting> job;
};
// Combines the sources. An empty value of a variable counts as not given, as does an empty value of
// a flag or of a key in PlaceKeys(). Returns UsageError for a --set without "=" or without a path.
StatusOr<Settings> ResolveSettings(const SettingSources& sources);

// Applies all settings that can be applied to a job document. Returns the error of the first one
// that cannot: UsageError for a flag or --set, else InvalidArgument. Both name the origin.
Status ApplyJobSettings(const Settings& settings, Json& document);

// A line of `config show`: a leaf of the resolved document and the origin of its value.
struct ShownSetting {
  std::string key, value, origin;
};
// Returns a line for each leaf of `resolved`, ordered by key. `written` is the document as its
// author wrote it, and `author` names it ("job program x", "file y"). The origin is that of the
// last setting for the key, else `author` if `written` has the key. A plain number in `written`
// decides all keys for which it is a short form. Otherwise the origin is "built-in", or that of the
// key from which the default is derived (`name` from `model.name`).
std::vector<ShownSetting> ExplainJob(const Settings& settings, const Json& resolved,
                                     const Json& written, const std::string& author);

}  // namespace dl::cli
