// Makes pages from Mustache templates and JSON. A text that a template inserts with {{name}} is
// escaped, so a name or message cannot become part of the page's code. {{{name}}} and {{&name}}
// insert a text without escaping, so templates must not contain them.
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
// them (web/pages/text_format.h). The section short keeps the first 12 characters, for a hash. All
// these sections escape their content a second time, unless they format a number. A template must
// therefore put neither tags of HTML nor texts that need escaping into them. Members of `context`
// with the names of these sections are ignored.
//
// Returns Internal if the template does not exist or is not valid. Thread-safe.
StatusOr<std::string> RenderPage(std::string_view name, const Json& context);

}  // namespace dl::web
