// Suggestions for misspelled words: "did you mean ...?"
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace dl {

// Returns the number of letters to insert, delete or replace, and of neighbours to swap, to turn
// one word into the other.
size_t EditDistance(std::string_view a, std::string_view b);

// Returns the candidate nearest to `word` by edit distance, or "" if none is similar enough.
std::string Nearest(std::string_view word, std::span<const std::string> candidates);
// Returns "; did you mean \"x\"?" or "".
std::string DidYouMean(std::string_view word, std::span<const std::string> candidates);

}  // namespace dl
