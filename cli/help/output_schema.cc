#include "cli/help/output_schema.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "web/schemas/json_schemas.h"

namespace dl::cli {
namespace {

constexpr char kDefinitions[] = "#/$defs/";

// A command may always end with an error.
std::string TypeOf(const CommandEntry& command) {
  return absl::StrCat(command.json_lines, "|Failure");
}

Json LineSchema(const CommandEntry& command) {
  Json schema = web::SchemaOfType(TypeOf(command), kDefinitions);
  schema["title"] = absl::StrCat("dl-submit ", command.name, " --json");
  schema["description"] = "A line of standard output.";
  return schema;
}

}  // namespace

Json OutputSchema(const CommandEntry& command) {
  Json schema = LineSchema(command);
  schema["$schema"] = std::string(web::kSchemaDialect);
  schema["$defs"] = web::SchemaDefinitions(TypeOf(command), kDefinitions);
  return schema;
}

Json OutputSchemas(const std::vector<CommandEntry>& commands) {
  Json definitions = Json::object(), any = Json::array();
  for (const CommandEntry& command : commands) {
    if (command.json_lines.empty()) continue;
    definitions.update(web::SchemaDefinitions(TypeOf(command), kDefinitions));
  }
  for (const CommandEntry& command : commands) {
    if (command.json_lines.empty()) continue;
    definitions[command.name] = LineSchema(command);
    any.push_back({{"$ref", kDefinitions + command.name}});
  }
  return {{"$schema", std::string(web::kSchemaDialect)},
          {"title", "dl-submit COMMAND --json"},
          {"description",
           "A line of standard output of any command. $defs has each command by its name."},
          {"anyOf", std::move(any)},
          {"$defs", std::move(definitions)}};
}

}  // namespace dl::cli
