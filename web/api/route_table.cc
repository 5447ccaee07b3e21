#include "web/api/route_table.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/suggest.h"
#include "web/http/text_split.h"

namespace dl::web {
namespace {

bool IsVariable(const std::string& segment) { return segment.starts_with('{'); }

std::vector<std::string> SegmentsOf(const std::string& pattern) {
  if (pattern == "/") return {};
  const auto parts = PartsOf(std::string_view(pattern).substr(1), '/');
  return {parts.begin(), parts.end()};
}

bool Matches(const std::vector<std::string>& pattern, const std::vector<std::string>& segments) {
  return pattern.size() == segments.size() &&
         std::equal(pattern.begin(), pattern.end(), segments.begin(),
                    [](const std::string& wanted, const std::string& segment) {
                      return IsVariable(wanted) || wanted == segment;
                    });
}

}  // namespace

RouteTable::RouteTable(std::vector<Route> routes) : routes_(std::move(routes)) {
  for (const Route& route : routes_) {
    entries_.push_back({.segments = SegmentsOf(route.pattern), .route = &route});
  }
  std::ranges::stable_sort(entries_, {}, [](const Entry& entry) {
    return std::ranges::count_if(entry.segments, IsVariable);
  });
}

RouteTable::Match RouteTable::Find(const HttpRequest& request) const {
  Match match;
  for (const Entry& entry : entries_) {
    if (!Matches(entry.segments, request.target.segments)) continue;
    if (entry.route->method != request.method) {
      match.others.push_back(entry.route);
      continue;
    }
    match.route = entry.route;
    for (size_t i = 0; i < entry.segments.size(); ++i) {
      const std::string& segment = entry.segments[i];
      if (IsVariable(segment))
        match.variables[segment.substr(1, segment.size() - 2)] = request.target.segments[i];
    }
    return match;
  }
  return match;
}

namespace {

Status CheckWord(const Parameter& parameter, const std::string& value, const std::string& path) {
  if (parameter.words.empty() || value.empty()) return absl::OkStatus();
  const bool is_known = std::ranges::any_of(parameter.words, [&](std::string_view word) {
    return absl::EqualsIgnoreCase(std::string(word), value);
  });
  if (is_known) return absl::OkStatus();
  const std::vector<std::string> words(parameter.words.begin(), parameter.words.end());
  return InvalidArgument(
      {.message = absl::StrCat("the parameter \"", std::string(parameter.name),
                               "\" has the value \"", value, "\"", DidYouMean(value, words)),
       .where = path,
       .remedy = absl::StrCat("Use one of ", absl::StrJoin(words, ", "))});
}

}  // namespace

Status CheckParameters(const Route& route, const HttpRequest& request) {
  std::vector<std::string> names;
  for (const Parameter& parameter : route.parameters) names.emplace_back(parameter.name);
  std::set<std::string> seen;
  for (const auto& [name, value] : request.target.parameters) {
    const auto found = std::ranges::find(route.parameters, name, &Parameter::name);
    if (found == route.parameters.end()) {
      return InvalidArgument({.message = absl::StrCat("the address has the unknown parameter \"",
                                                      name, "\"", DidYouMean(name, names)),
                              .where = request.path});
    }
    if (!seen.insert(name).second && !found->repeated) {
      return InvalidArgument(
          {.message = absl::StrCat("the address has the parameter \"", name, "\" twice"),
           .where = request.path});
    }
    int64_t number = 0;
    if (found->type == Parameter::Type::kInteger &&
        (!absl::SimpleAtoi(value, &number) || number < found->min || number > found->max)) {
      return InvalidArgument(
          {.message =
               absl::StrCat("the parameter \"", name, "\" must be a whole number from ", found->min,
                            found->max == INT64_MAX ? " on" : absl::StrCat(" to ", found->max),
                            ", not \"", value, "\""),
           .where = request.path});
    }
    DL_RETURN_IF_ERROR(CheckWord(*found, value, request.path));
  }
  return absl::OkStatus();
}

Status CheckNoBody(const Route& route, const HttpRequest& request) {
  if (absl::StripAsciiWhitespace(request.body).empty()) return absl::OkStatus();
  const StatusOr<Json> json = ParseJson(request.body, "body");
  if (json.ok() && json->is_object() && json->empty()) return absl::OkStatus();
  return InvalidArgument(
      {.message = "this request has no body; it may be empty or {}",
       .where = "body",
       .remedy = route.parameters.empty()
                     ? "Leave out the body"
                     : absl::StrCat("Leave out the body, or send its values in the address: ?",
                                    std::string(route.parameters.front().name), "=VALUE")});
}

}  // namespace dl::web
