#include "web/api/openapi.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "web/http/text_split.h"
#include "web/schemas/json_schemas.h"

namespace dl::web {
namespace {

constexpr std::string_view kSchemas = "#/components/schemas/", kProblem = "Problem";

std::string TypeOf(AnswerKind kind) {
  switch (kind) {
    case AnswerKind::kJson:
      return "application/json";
    case AnswerKind::kEvents:
      return "text/event-stream";
    case AnswerKind::kText:
      return "text/plain";
    case AnswerKind::kBytes:
    case AnswerKind::kDownload:
      return "application/octet-stream";
    case AnswerKind::kPage:
      return "text/html";
  }
  return "";
}

Json ParameterJson(const Parameter& parameter) {
  Json schema = {{"type", "string"}};
  if (parameter.type == Parameter::Type::kInteger) {
    schema = {{"type", "integer"}, {"format", "int64"}, {"minimum", parameter.min}};
    if (parameter.max != INT64_MAX) schema["maximum"] = parameter.max;
  }
  for (const std::string_view word : parameter.words) schema["enum"].push_back(std::string(word));
  return {{"name", std::string(parameter.name)},
          {"in", "query"},
          {"required", false},
          {"description", std::string(parameter.about)},
          {"schema", schema}};
}

std::string VariableAbout(const std::string& name) {
  if (name == "job") return "id of a job";
  if (name == "import") return "id of an import";
  if (name == "sha256") return "SHA-256 of a block, 64 hex digits in lower case";
  if (name != "round") return "name of a file";
  return "round of a checkpoint: a number, best or last; ROUND~K if rollback K set it aside";
}

Json ParametersOf(const Route& route) {
  Json parameters = Json::array();
  for (const std::string_view segment : PartsOf(route.pattern, '/')) {
    if (!segment.starts_with('{')) continue;
    const std::string name(segment.substr(1, segment.size() - 2));
    parameters.push_back({{"name", name},
                          {"in", "path"},
                          {"required", true},
                          {"description", VariableAbout(name)},
                          {"schema", {{"type", "string"}}}});
  }
  for (const Parameter& parameter : route.parameters)
    parameters.push_back(ParameterJson(parameter));
  return parameters;
}

// Returns a name for clients that are generated: "get_api_v1_jobs_job_log".
std::string OperationId(const Route& route) {
  std::string id = absl::AsciiStrToLower(route.method);
  for (const std::string_view segment : PartsOf(route.pattern, '/')) {
    if (!segment.empty()) id += '_';
    std::ranges::copy_if(segment, std::back_inserter(id),
                         [](char c) { return absl::ascii_isalnum(c); });
  }
  return id;
}

Json SchemaOf(const Route& route) {
  switch (route.answers) {
    case AnswerKind::kJson:
      return SchemaOfType(route.document, kSchemas);
    case AnswerKind::kBytes:
    case AnswerKind::kDownload:
      return {{"type", "string"}, {"format", "binary"}};
    case AnswerKind::kEvents:
    case AnswerKind::kText:
    case AnswerKind::kPage:
      break;
  }
  return {{"type", "string"}};
}

Json ResponsesOf(const Route& route) {
  const Json problem = {{"$ref", "#/components/responses/problem"}};
  Json content = Json::object();
  content[TypeOf(route.answers)] = {{"schema", SchemaOf(route)}};
  Json responses = {{"4XX", problem}, {"5XX", problem}};
  responses[absl::StrCat(route.status)] = {{"description", "The answer"}, {"content", content}};
  if (route.answers == AnswerKind::kDownload) {
    responses["206"] = {{"description", "The range of bytes"}, {"content", content}};
    responses["304"] = {{"description", "The client has this version"}};
  }
  return responses;
}

Json OperationJson(const Route& route) {
  Json operation = {{"operationId", OperationId(route)},
                    {"summary", std::string(route.about)},
                    {"responses", ResponsesOf(route)}};
  if (Json parameters = ParametersOf(route); !parameters.empty())
    operation["parameters"] = std::move(parameters);
  if (route.rpc_method.empty()) operation["security"] = Json::array();
  if (!route.body_schema.empty()) {
    Json content = Json::object();
    content[std::string(route.body_type)] = {{"schema", Json::parse(route.body_schema)}};
    operation["requestBody"] = {{"required", true}, {"content", std::move(content)}};
  }
  return operation;
}

}  // namespace

std::string OpenApiDocument(const std::vector<Route>& routes, std::string_view version) {
  Json paths = Json::object();
  for (const Route& route : routes) {
    if (route.answers == AnswerKind::kPage) continue;
    paths[route.pattern][absl::AsciiStrToLower(route.method)] = OperationJson(route);
  }
  Json schemas = SchemaDefinitions(kProblem, kSchemas);
  for (const Route& route : routes) schemas.update(SchemaDefinitions(route.document, kSchemas));
  return JsonText(
      {{"openapi", "3.1.0"},
       {"info",
        {{"title", "Paravane"},
         {"version", std::string(version)},
         {"description", "Read and control training jobs of a Paravane master."},
         {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
       {"servers", {{{"url", "/"}}}},
       {"security", {{{"token", Json::array()}}, {{"session", Json::array()}}}},
       {"paths", paths},
       {"components",
        {{"schemas", std::move(schemas)},
         {"responses",
          {{"problem",
            {{"description", "An error: what is wrong, where, and what to do"},
             {"content",
              {{"application/problem+json", {{"schema", SchemaOfType(kProblem, kSchemas)}}}}}}}}},
         {"securitySchemes",
          {{"token", {{"type", "http"}, {"scheme", "bearer"}}},
           {"session", {{"type", "apiKey"}, {"in", "cookie"}, {"name", "paravane"}}}}}}}});
}

}  // namespace dl::web
