#include "tests/unit/web_pages/template_rules.h"

#include <algorithm>
#include <regex>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace dl::web {
namespace {

struct Tag {
  char kind = 'v';  // '#', '^', '/', '>', '!', or 'v' for a variable
  std::string name;
  int line = 0;
};

// Tags that do not end, and tags without escaping, are added to `wrong`.
std::vector<Tag> TagsOf(std::string_view text, std::vector<std::string>& wrong) {
  std::vector<Tag> tags;
  for (size_t at = text.find("{{"); at != std::string_view::npos; at = text.find("{{", at)) {
    const auto line = 1 + static_cast<int>(std::ranges::count(text.substr(0, at), '\n'));
    const size_t end = text.find("}}", at);
    if (end == std::string_view::npos) {
      wrong.push_back(absl::StrCat("line ", line, ": a tag does not end"));
      return tags;
    }
    std::string inside(text.substr(at + 2, end - at - 2));
    absl::StripAsciiWhitespace(&inside);
    at = end + 2;
    if (inside.empty() || inside[0] == '{' || inside[0] == '&' || inside[0] == '=') {
      wrong.push_back(absl::StrCat("line ", line, ": {{", inside,
                                   "}} is empty, is not escaped, or changes the delimiters"));
      continue;
    }
    Tag tag{.line = line};
    if (std::string_view("#^/>!").find(inside[0]) != std::string_view::npos) {
      tag.kind = inside[0];
      inside.erase(0, 1);
      absl::StripAsciiWhitespace(&inside);
    }
    tag.name = std::move(inside);
    tags.push_back(std::move(tag));
  }
  return tags;
}

void CheckAll(const std::string& text, const char* pattern, std::string_view problem,
              std::vector<std::string>& wrong) {
  const std::regex expression(pattern, std::regex::icase);
  for (std::sregex_iterator found(text.begin(), text.end(), expression), end; found != end; ++found)
    wrong.push_back(absl::StrCat(std::string(problem), ": ", found->str()));
}

}  // namespace

std::vector<std::string> CheckTags(std::string_view text, const std::set<std::string>& partials) {
  std::vector<std::string> wrong;
  std::vector<Tag> open;
  for (const Tag& tag : TagsOf(text, wrong)) {
    if (tag.kind == '#' || tag.kind == '^') open.push_back(tag);
    if (tag.kind == '>' && !partials.contains(tag.name)) {
      wrong.push_back(absl::StrCat("line ", tag.line, ": there is no template ", tag.name));
    }
    if (tag.kind != '/') continue;
    if (open.empty() || open.back().name != tag.name) {
      wrong.push_back(absl::StrCat("line ", tag.line, ": {{/", tag.name, "}} ends ",
                                   open.empty() ? "nothing" : open.back().name));
      return wrong;
    }
    open.pop_back();
  }
  for (const Tag& tag : open)
    wrong.push_back(absl::StrCat("line ", tag.line, ": the section ", tag.name, " does not end"));
  return wrong;
}

std::vector<std::string> CheckMarkup(std::string_view text) {
  const std::string page(text);
  std::vector<std::string> wrong;
  CheckAll(page, R"(<script(?![^>]*\ssrc="/assets/)[^>]*>)", "a script in the page", wrong);
  CheckAll(page, R"(<script[^>]*>(?!</script>))", "a script in the page", wrong);
  CheckAll(page, R"(<style[^>]*>)", "a style sheet in the page", wrong);
  CheckAll(page, R"(\sstyle\s*=)", "a style in the page", wrong);
  CheckAll(page, R"(\son[a-z]+\s*=)", "an event handler in the page", wrong);
  CheckAll(page, R"(javascript:)", "a script in an address", wrong);
  CheckAll(page, R"(\s[a-z-]+\s*=\s*\{\{)", "a value without quotes", wrong);
  CheckAll(page, R"((?:href|src|action|formaction)\s*=\s*["']\{\{)",
           "an address that begins with a value", wrong);
  CheckAll(page, R"((?:href|src|action)\s*=\s*["'](?:https?:)?//)", "an address of another site",
           wrong);
  return wrong;
}

std::set<std::string> PartialsIn(std::string_view text) {
  std::vector<std::string> ignored;
  std::set<std::string> names;
  for (const Tag& tag : TagsOf(text, ignored)) {
    if (tag.kind == '>') names.insert(tag.name);
  }
  return names;
}

}  // namespace dl::web
