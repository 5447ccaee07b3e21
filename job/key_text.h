// The value of a key as text, as --set, an environment variable and a flag give it.
#pragma once

#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"
#include "job/keys.h"

namespace dl::job {

// Read as the key's type; objects and lists are JSON (of an object the type alone does: "relu"),
// and null is taken where it is the default. Errors say what the text is not and what the key
// takes. Numbers that no integer or double holds are out of range here, others when the document is
// read.
StatusOr<Json> ValueFromText(const KeyInfo& key, std::string_view text);

// An entry of a list as a key of its own. REQUIRES: `list` is a list.
KeyInfo EntryOf(const KeyInfo& list);

// Whether `word` is one of "a|b|c".
bool IsAmong(std::string_view words, std::string_view word);

}  // namespace dl::job
