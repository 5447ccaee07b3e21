// Job specs as the pages "Settings" and "Compare" show them.
#pragma once

#include <vector>

#include "base/json_fwd.h"

namespace dl::web {

// Returns [{"section","rows"}] with all settings of a job spec. A row has "path" (as --set takes
// it, except that a layer has its name instead of its number), "value" (a text), "is_default", and
// "origin": "built-in" for a value that a spec without the key would have, else "job".
Json SettingsDocument(const Json& spec);

// Returns {"settings":[{"path","values"}],"same"} for two or more job specs: the settings that are
// not equal in all of them, with a text for each spec ("–" if a spec lacks the setting), and how
// many settings are equal.
Json DifferencesDocument(const std::vector<Json>& specs);

}  // namespace dl::web
