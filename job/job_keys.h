// Table of all keys of a job spec. Used by --set, by docs/job-spec.md, and by the tests of the
// parser.
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

// Returns all keys in the order of docs/job-spec.md, with their paths in the document:
// "model.layers[].units". The keys of `model` come from nn/conf/model_keys.h.
std::span<const nn::KeyRow> Keys();

// Returns the key's row in docs/job-spec.md: | `path` | type | default | unit | range | meaning |
std::string MarkdownRow(const nn::KeyRow& key);

// Returns "1 to 4096", or "" if the key has no range.
std::string NumberRange(const nn::KeyRow& key);

// Returns the text of a setting (SetByPath) whose value is given as JSON: a string itself, and any
// other value as JSON. Returns InvalidArgument for null if the default of the key is not null, and
// for a path that no job spec has.
StatusOr<std::string> SettingText(std::string_view path, const Json& value);

// Returns InvalidArgument if the setting is wrong for every document: no job spec has the key, or
// the key does not accept the text. The keys "format" and "model.format" accept only the current
// version. The error about an unknown key suggests a similar key if there is one.
Status CheckSetting(std::string_view path, std::string_view text);

// Sets one value of a job document, as in --set training.epochs=3.
//
// Paths: list entries are written layers.2.units or layers[2].units; kernel.0 is an entry of a list
// of numbers. If a path continues inside a key that the document leaves out, the key first gets its
// default. If the document writes the key in short form, the key is first written out. Setting a
// "type" or "format" drops the keys that the new type does not have.
//
// Values: the text is read as by ValueFromText. Ranges are checked when the document is read.
//
// A document of an older version is converted to the current version first, because the keys are
// those of the current version. Returns the errors of CheckSetting, and those of CurrentJob
// (job/job_spec.h), such as VersionMismatch for a document of a newer version. Returns
// InvalidArgument for an index beyond the list, a list that the document leaves out and that has no
// default, and a document of another shape. Errors leave the document unchanged.
Status SetByPath(Json& document, std::string_view path, std::string_view text);

}  // namespace dl::job
