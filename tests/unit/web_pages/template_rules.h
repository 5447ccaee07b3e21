// Rules for the templates of the web pages (web/pages/templates). They keep text of users out of
// the code of a page.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dl::web {

// Returns what is wrong with the tags of a Mustache template: sections that do not match, partials
// that are not in `partials`, and tags that would not escape their text.
std::vector<std::string> CheckTags(std::string_view text, const std::set<std::string>& partials);

// Returns what a Content-Security-Policy without inline code would refuse, and places where a value
// could become code: scripts and styles in the page, event handlers, values without quotes, and
// addresses that begin with a value.
std::vector<std::string> CheckMarkup(std::string_view text);

// Returns the names of the partials that the template uses.
std::set<std::string> PartialsIn(std::string_view text);

}  // namespace dl::web
