#include "web/http/http_message.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/utf8.h"
#include "web/http/text_split.h"

namespace dl::web {
namespace {

Status BadTarget(std::string message) {
  return InvalidArgument({.message = std::move(message), .where = "the address"});
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = absl::ascii_tolower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

StatusOr<std::string> Decode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return BadTarget("% is not followed by two hexadecimal digits");
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  if (!IsUtf8(decoded)) return BadTarget("a text is not UTF-8");
  if (std::ranges::any_of(decoded, [](char c) { return absl::ascii_iscntrl(c); }))
    return BadTarget("a text has a control character");
  return decoded;
}

StatusOr<std::vector<std::pair<std::string, std::string>>> ParseParameters(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> parameters;
  for (const std::string_view part : PartsOf(text, '&')) {
    if (part.empty()) continue;
    const auto halves = CutAt(part, '=');
    DL_ASSIGN_OR_RETURN(std::string name, Decode(halves.first, true));
    DL_ASSIGN_OR_RETURN(std::string value, Decode(halves.second, true));
    parameters.emplace_back(std::move(name), std::move(value));
  }
  return parameters;
}

}  // namespace

const std::string* Target::Find(std::string_view name) const {
  const auto found = std::ranges::find(parameters, name, [](const auto& p) { return p.first; });
  return found == parameters.end() ? nullptr : &found->second;
}

StatusOr<Target> ParseTarget(std::string_view target) {
  if (!target.starts_with('/')) return BadTarget("it does not begin with /");
  const auto halves = CutAt(target, '?');
  Target parsed;
  std::string_view path = halves.first.substr(1);
  if (path.ends_with('/')) path.remove_suffix(1);
  if (!path.empty()) {
    for (const std::string_view part : PartsOf(path, '/')) {
      DL_ASSIGN_OR_RETURN(std::string segment, Decode(part, false));
      if (segment.empty() || segment == "." || segment == "..")
        return BadTarget("a segment is empty or a folder of dots");
      parsed.segments.push_back(std::move(segment));
    }
  }
  DL_ASSIGN_OR_RETURN(parsed.parameters, ParseParameters(halves.second));
  return parsed;
}

StatusOr<std::vector<std::pair<std::string, std::string>>> ParseForm(std::string_view body) {
  return ParseParameters(body);
}

std::string QueryText(const Target& target) {
  std::string query;
  for (const auto& [name, value] : target.parameters) {
    absl::StrAppend(&query, query.empty() ? "" : "&", EscapeForTarget(name), "=",
                    EscapeForTarget(value));
  }
  return query;
}

std::string EscapeForTarget(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.' || c == '~') {
      escaped += c;
    } else {
      absl::StrAppend(&escaped, "%", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    }
  }
  return escaped;
}

std::string_view HttpRequest::Header(std::string_view name) const {
  const auto found = headers.find(std::string(name));
  return found == headers.end() ? std::string_view() : found->second;
}

std::optional<std::string> HttpRequest::Cookie(std::string_view name) const {
  for (const std::string_view part : PartsOf(Header("cookie"), ';')) {
    const auto halves = CutAt(WithoutBlanks(part), '=');
    if (halves.first == name) return std::string(halves.second);
  }
  return std::nullopt;
}

}  // namespace dl::web
