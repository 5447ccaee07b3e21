#include "base/sentences.h"

namespace dl {

std::string JoinSentences(std::string_view first, std::string_view second) {
  std::string out(first);
  if (first.empty() || second.empty()) return out.append(second);
  const bool is_ended = std::string_view(".?!").find(first.back()) != std::string_view::npos;
  return out.append(is_ended ? " " : ". ").append(second);
}

}  // namespace dl
