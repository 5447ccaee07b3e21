// The keys of a job spec as a table: what --set may name, what docs/job-spec.md lists, and what the
// parser's tests try.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"
#include "nn/conf/key_row.h"

namespace dl::job {

using nn::KeyType;

struct KeyInfo {
  std::string_view path;  // "training.epochs", "model.layers[].units"
  KeyType type;
  std::string_view standard;  // the default as JSON; "" = required; "-" = another key's value,
                              // named in `meaning`
  std::string_view unit;      // "examples", "steps", "s"; "" = none
  double min = 0, max = 0;    // of numbers; equal: no range
  std::string_view choices;   // "a|b|c"
  std::string_view only_for;  // types of the object around it that have the key: "conv2d|dense";
                              // "" = all
  std::string_view meaning;
};

// In the order of docs/job-spec.md. Those of `model` come from nn/conf/model_keys.h.
std::span<const KeyInfo> Keys();

// The row of docs/job-spec.md: | `path` | type | default | unit | range | meaning |
std::string MarkdownRow(const KeyInfo& key);

// "1 to 4096"; "" when the key has no range.
std::string NumberRange(const KeyInfo& key);

// What is wrong with a setting whatever the document is: a key that no job spec has (with a
// suggestion), a text that the key does not take.
Status CheckSetting(std::string_view path, std::string_view text);

// Sets one value of a job document, as --set training.epochs=3 does. Lists are indexed as
// layers.2.units or layers[2].units, and kernel.0 is an entry of one. The text is read as the key's
// type; objects and lists are JSON, and null is taken where it is the default. A path that goes on
// inside something that the document leaves out or writes as a plain number sets one part of what
// that stands for. A new "type" or "format" drops the keys that the new one does not have. A
// document of an older version is brought up to the present one, whose keys these are. Errors,
// which leave the document as it was: an unknown path (with a suggestion), a text of the wrong
// type, an index beyond the list, a document of another shape, another version than the present
// one. Ranges are checked when the document is read.
Status SetByPath(Json& document, std::string_view path, std::string_view text);

}  // namespace dl::job
