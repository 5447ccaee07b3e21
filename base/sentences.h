// Joins the sentences of messages, which are stored without a final full stop.
#pragma once

#include <string>
#include <string_view>

namespace dl {

// Returns both texts as sentences in one line: "FIRST. SECOND", or "FIRST SECOND" if `first` ends
// with ".", "?" or "!". If one is empty, returns the other.
std::string JoinSentences(std::string_view first, std::string_view second);

}  // namespace dl
