// Makes pages from Mustache templates and JSON. All texts are escaped, so a name or message cannot
// become part of the page's code.
#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"

namespace dl::web {

// Returns the page of the template "templates/NAME.mustache". Sections and variables are members of
// `context`, an object. In sections, null, false, "", an empty list and an empty object are false;
// every number is true. Templates may use templates whose names begin with "part_" as partials.
//
// The sections count, bytes, duration_ms, seconds, time_ms, number and percent format the number in
// them (web/pages/text_format.h), and leave any other text as it is. The section short shortens a
// hash.
//
// Returns Internal if the template does not exist or is not valid. Thread-safe.
StatusOr<std::string> RenderPage(std::string_view name, const Json& context);

}  // namespace dl::web
