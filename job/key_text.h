// Values of keys as text, as they are given to --set, environment variables and flags.
#pragma once

#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"
#include "job/job_keys.h"

namespace dl::job {

// Returns the text as a value of the key's type. Objects and lists are JSON. For an object, its
// type alone is enough ("relu"). For a list of integers, columns or files, a single entry is
// enough. The text "null" gives null if null is the key's default. If the key does not accept the
// text, returns InvalidArgument with the mistake and what the key accepts. Numbers that fit no
// integer or double are errors here; the key's range is checked when the document is read.
StatusOr<Json> ValueFromText(const nn::KeyRow& key, std::string_view text);

// Returns the key of a single entry of a list: with the entry's type, and without a default.
// REQUIRES: the type of `list` is a list.
nn::KeyRow EntryOf(const nn::KeyRow& list);

// Returns whether `word` is one of `words`, which has the form "a|b|c".
bool IsAmong(std::string_view words, std::string_view word);

}  // namespace dl::job
