// "Did you mean ...?"
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace dl {

// Letters to insert, delete or replace, and neighbours to swap, on the way from one to the other.
size_t EditDistance(std::string_view a, std::string_view b);

// The candidate nearest to `word` by edit distance if it is near enough to be what was meant, else
// "".
std::string Nearest(std::string_view word, std::span<const std::string> candidates);
// "; did you mean \"x\"?" or "".
std::string DidYouMean(std::string_view word, std::span<const std::string> candidates);

}  // namespace dl
