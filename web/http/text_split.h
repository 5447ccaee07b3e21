// Functions that split a text. They return views of their argument, so its characters must outlive
// the results.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace dl::web {

// Returns the parts before and after the first separator. A text without the separator is the first
// part, and the second part is empty.
inline std::pair<std::string_view, std::string_view> CutAt(std::string_view text, char separator) {
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

// Returns the parts between separators, also empty parts: "a,,b" has the parts "a", "" and "b". An
// empty text has one empty part.
inline std::vector<std::string_view> PartsOf(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t end = 0;
  while ((end = text.find(separator)) != std::string_view::npos) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

// Returns the text without the spaces and tabs at its start and end.
inline std::string_view WithoutBlanks(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace dl::web
