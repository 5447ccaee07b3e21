// How the tables of this folder describe JSON documents. json_schemas.cc turns them into JSON
// Schema.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace dl::web {

// A key of an object and its value. A type is one of these, or alternatives with | between them:
//   string integer number boolean null object  as in JSON Schema; `object` has any keys
//   count            an integer that is at least 0
//   any              any value
//   sha256           64 hexadecimal digits
//   =word            this text alone; = alone is the empty text
//   [TYPE] {TYPE}    a list; an object with any keys whose values have this type
//   Name             the document of this name
struct Key {
  std::string_view name;   // "top_#_accuracy" stands for all names with a number in this place
  std::string_view type;   // "[string]|null"
  std::string_view about;  // a phrase: meaning, unit, and when the key is absent
};

// A JSON object with fixed keys, or another name for a type.
struct DocumentShape {
  std::string_view name;   // "JobStatus"; unique
  std::string_view about;  // one sentence
  std::string_view is;     // not empty: the type that this name stands for; there are no keys
  std::string_view base;   // not empty: a document whose keys this document has too
  // Keys of SharedKeys(), with spaces between them.
  std::string_view required, optional;
  // Keys that only this document has, or that mean something else here than in SharedKeys().
  std::vector<Key> own, own_optional;
  bool has_other_keys = false;  // whether it may have keys that are not described
};

// Keys that several documents have. If a name has different meanings, each has a label: the key of
// "job:or_null" is "job".
std::span<const Key> SharedKeys();

// The documents by subject. Each function is defined in a file of its own.
std::span<const DocumentShape> JobShapes();      // jobs, results and the cluster
std::span<const DocumentShape> EventShapes();    // events of jobs and of sweeps
std::span<const DocumentShape> FigureShapes();   // curves, evaluations and predictions
std::span<const DocumentShape> DataShapes();     // datasets, specs, checkpoints and round logs
std::span<const DocumentShape> CommandShapes();  // answers of commands only
std::span<const DocumentShape> RestShapes();     // answers of REST only

}  // namespace dl::web
