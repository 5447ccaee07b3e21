// Job specs as the pages "Settings" and "Compare" show them.
#pragma once

#include <vector>

#include "base/json_fwd.h"

namespace dl::web {

// Returns [{"section","rows"}] with all settings that a job spec states. A row has "path", "value"
// (a text), "is_default", and "origin": "built-in" if is_default is true, else "job".
//
// A path is as --set takes it, except that a layer or an input has its name instead of its number.
// is_default is true for null, and for the default of the key in job::Keys(). Some defaults depend
// on another value, such as the type of a layer or updater. job::Keys() lacks these defaults, so
// is_default is false for them.
Json SettingsDocument(const Json& spec);

// Returns {"settings":[{"path","values"}],"same"} for two or more job specs: the settings that are
// not equal in all of them, with a text for each spec ("–" if a spec lacks the setting), and how
// many settings are equal.
Json DifferencesDocument(const std::vector<Json>& specs);

}  // namespace dl::web
