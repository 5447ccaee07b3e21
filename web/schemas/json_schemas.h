// JSON Schemas (draft 2020-12) of the documents that commands print with --json and that REST
// answers with. Each key is described once (document_shape.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"

namespace dl::web {

// The draft of all schemas, as in "$schema".
inline constexpr std::string_view kSchemaDialect = "https://json-schema.org/draft/2020-12/schema";

// Returns the names of all documents that have a schema, in alphabetical order.
std::vector<std::string> SchemaNames();

// Returns the schema of a type (document_shape.h), with references such as "#/$defs/Error".
// `definitions` is what comes before the name: "#/$defs/".
// REQUIRES: the type is valid, and each name in it is one of SchemaNames().
Json SchemaOfType(std::string_view type, std::string_view definitions);

// Returns the schemas of all documents that the type names, directly or in other documents: an
// object by name. REQUIRES: as for SchemaOfType.
Json SchemaDefinitions(std::string_view type, std::string_view definitions);

}  // namespace dl::web
