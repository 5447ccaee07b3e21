// Suggestions for misspelled words: "did you mean ...?"
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace dl {

// Returns the optimal string alignment distance: the smallest number of changes that turn one word
// into the other if no part is changed twice. A change inserts, deletes or replaces a byte, or
// swaps two neighbours.
size_t EditDistance(std::string_view a, std::string_view b);

// Returns the candidate with the smallest edit distance to `word`. If several have the same
// distance, returns the first. Returns "" if the smallest distance is above word.size() / 3 + 1, or
// if `word` is longer than 200 bytes. Ignores candidates that are longer than 200 bytes.
std::string Nearest(std::string_view word, std::span<const std::string> candidates);
// Returns the end of an error message: "; did you mean \"x\"?" with the nearest candidate, or "".
std::string DidYouMean(std::string_view word, std::span<const std::string> candidates);

}  // namespace dl
