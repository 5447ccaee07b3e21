// What a command works with, and who said so. Precedence: flag > --set > DL_* environment > config
// files > what the job's builder (or file) says > built-in. Pure: the environment and the files are
// arguments.
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

// A flag or a --set, as opposed to what the environment or a file says.
bool IsFromLine(const Setting& setting);

// A value for one key of the job spec.
struct JobSetting {
  std::string path;  // "training.epochs"
  Setting setting;
};

// {"master": "...", "data_dir": "...", "token_file": "...", "set": {"training.epochs": 3}}
struct ConfigFile {
  std::string path;
  std::map<std::string, std::string> places;  // by PlaceKey::key, those stated
  std::vector<JobSetting> set;
};
// InvalidArgument for anything else, with the nearest known key.
StatusOr<ConfigFile> ParseConfigFile(std::string_view text, const std::string& path);

// The flags that many jobs need, with the key and the environment variable that mean the same.
struct ShortcutKey {
  std::string_view flag;         // "--epochs"
  std::string_view path;         // "training.epochs"
  std::string_view environment;  // "DL_EPOCHS"
  std::string_view metavar;
  std::string_view help;
};
const std::vector<ShortcutKey>& ShortcutKeys();

struct Settings;

// The settings that say where a command works, and by what it is let in there.
struct PlaceKey {
  std::string_view flag;         // "--token-file"
  std::string_view key;          // of a config file: "token_file"
  std::string_view environment;  // "DL_TOKEN_FILE"
  std::string_view metavar;
  std::string_view help;
  Setting Settings::*setting;
};
const std::vector<PlaceKey>& PlaceKeys();

struct SettingSources {
  std::map<std::string, std::string> place_flags;   // by PlaceKey::flag, those given
  std::map<std::string, std::string> common_flags;  // by ShortcutKey::flag, those given
  std::string weights;                              // of --weights: a file to begin with
  std::vector<std::string> sets;                    // "path=value" in the order of the line
  std::map<std::string, std::string> environment;  // of the process; only known DL_* names are read
  std::vector<ConfigFile> files;                   // later ones win
};

struct Settings {
  Setting master;    // built-in: "local"
  Setting data_dir;  // empty value: launch::StateDir decides
  // By what a standing master is known, and whoever asks it; empty values: launch/credentials.h
  // decides.
  Setting token_file, master_user, tls_ca, tls_cert, tls_key;
  std::vector<JobSetting> job;  // lowest precedence first: applied in this order, the last one wins
};
// UsageError for a --set without "=".
StatusOr<Settings> ResolveSettings(const SettingSources& sources);

// Applies all that can be applied to a job document; the error is that of the first that cannot. A
// bad flag or --set is a UsageError, the rest InvalidArgument; both name the origin.
Status ApplyJobSettings(const Settings& settings, Json& document);

// One line of `config show`: every leaf of the resolved document with the setting that decided it.
// `written` is the document as its author wrote it, from `author` ("job program x", "file y"); a
// plain number there decides every key of what it stands for. What nobody said is built-in, or
// decided by who decided what its default follows (`name`: `model.name`).
struct ShownSetting {
  std::string key, value, origin;
};
std::vector<ShownSetting> ExplainJob(const Settings& settings, const Json& resolved,
                                     const Json& written, const std::string& author);

}  // namespace dl::cli
