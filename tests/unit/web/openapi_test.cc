// The structure of the description of the API, as linters of OpenAPI check it.
#include <functional>
#include <set>

#include "absl/strings/ascii.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/web/site_fixture.h"
#include "web/http/http_server.h"
#include "web/http/text_split.h"

namespace dl::web {
namespace {

class OpenApiTest : public SiteTest {
 protected:
  void SetUp() override {
    SiteTest::SetUp();
    auto document = ParseJson(Send(Make("GET", "/api/v1/openapi.json")).body, "the description");
    DL_ASSERT_OK(document);
    api_ = *std::move(document);
  }
  // Calls `check` with each operation and its place ("get /api/v1/jobs").
  template <typename Check>
  void ForEachOperation(Check check) {
    for (const auto& [path, methods] : api_.at("paths").items()) {
      for (const auto& [method, operation] : methods.items())
        check(method + " " + path, path, operation);
    }
  }
  static void ExpectSchema(const Json& content, const std::string& place) {
    ASSERT_FALSE(content.empty()) << place;
    for (const auto& [type, media] : content.items()) {
      ASSERT_TRUE(media.contains("schema")) << place << " " << type;
      const Json& schema = media["schema"];
      EXPECT_TRUE(schema.contains("type") || schema.contains("$ref")) << place << " " << type;
    }
  }
  // Returns the value at a reference ("#/components/...").
  const Json& Resolve(const Json& json) {
    if (!json.contains("$ref")) return json;
    return api_.at(Json::json_pointer(json["$ref"].get<std::string>().substr(1)));
  }

  Json api_;
};

TEST_F(OpenApiTest, HasTheObjectsOfVersion31) {
  EXPECT_EQ(api_["openapi"], "3.1.0");
  for (const char* key : {"title", "version", "description", "license"})
    EXPECT_TRUE(api_["info"].contains(key)) << key;
  EXPECT_GT(api_["paths"].size(), 20u);
}

TEST_F(OpenApiTest, OperationsHaveUniqueIdsAndSummaries) {
  std::set<std::string> ids;
  ForEachOperation([&](const std::string& place, const std::string&, const Json& operation) {
    EXPECT_TRUE(ids.insert(operation.at("operationId")).second) << place;
    EXPECT_FALSE(operation.at("summary").get<std::string>().empty()) << place;
  });
}

TEST_F(OpenApiTest, ParametersAreDescribedAndVariablesAreThoseOfThePath) {
  ForEachOperation([&](const std::string& place, const std::string& path, const Json& operation) {
    std::set<std::string> variables, named;
    for (const std::string_view segment : PartsOf(path, '/')) {
      if (segment.starts_with('{'))
        variables.insert(std::string(segment.substr(1, segment.size() - 2)));
    }
    std::set<std::pair<std::string, std::string>> seen;
    for (const Json& parameter : operation.value("parameters", Json::array())) {
      const std::string name = parameter.at("name"), in = parameter.at("in");
      EXPECT_TRUE(seen.insert({in, name}).second) << place << " " << name;
      EXPECT_FALSE(parameter.value("description", "").empty()) << place << " " << name;
      EXPECT_TRUE(parameter.at("schema").contains("type")) << place << " " << name;
      if (in != "path") continue;
      named.insert(name);
      EXPECT_EQ(parameter.at("required"), true) << place << " " << name;
    }
    EXPECT_EQ(named, variables) << place;
  });
}

TEST_F(OpenApiTest, ResponsesAndBodiesHaveSchemas) {
  ForEachOperation([&](const std::string& place, const std::string&, const Json& operation) {
    bool has_success = false;
    for (const auto& [status, response] : operation.at("responses").items()) {
      const Json& resolved = Resolve(response);
      EXPECT_FALSE(resolved.value("description", "").empty()) << place << " " << status;
      has_success = has_success || status.starts_with("2");
      if (status != "304") ExpectSchema(resolved.value("content", Json::object()), place);
    }
    EXPECT_TRUE(has_success) << place;
    if (operation.contains("requestBody"))
      ExpectSchema(operation["requestBody"].at("content"), place);
  });
}

TEST_F(OpenApiTest, ReferencesResolve) {
  int references = 0;
  const std::function<void(const Json&)> visit = [&](const Json& json) {
    if (json.is_object() && json.contains("$ref")) {
      ++references;
      EXPECT_TRUE(api_.contains(Json::json_pointer(json["$ref"].get<std::string>().substr(1))))
          << json;
    }
    if (json.is_structured()) {
      for (const Json& inner : json) visit(inner);
    }
  };
  visit(api_);
  EXPECT_GT(references, 20);
}

TEST_F(OpenApiTest, JsonAnswersHaveNamedDocuments) {
  for (const Route& route : site_->routes().routes())
    EXPECT_EQ(route.answers == AnswerKind::kJson, !route.document.empty()) << route.pattern;
  const Json& job = api_["paths"]["/api/v1/jobs/{job}"]["get"]["responses"]["200"];
  EXPECT_EQ(job["content"]["application/json"]["schema"],
            Json({{"$ref", "#/components/schemas/Job"}}));
  EXPECT_TRUE(api_["components"]["schemas"]["Job"]["properties"].contains("rounds_total"));
}

TEST_F(OpenApiTest, BodiesAreDescribedWhereTheyAreRead) {
  for (const Route& route : site_->routes().routes()) {
    if (route.answers == AnswerKind::kPage) continue;
    EXPECT_EQ(route.body_bytes > 0, !route.body_schema.empty()) << route.pattern;
    if (route.body_bytes == 0) continue;
    const Json& operation = api_["paths"][route.pattern][absl::AsciiStrToLower(route.method)];
    EXPECT_TRUE(operation["requestBody"]["content"].contains(std::string(route.body_type)));
    if (route.receive) continue;  // the body is not held in memory
    EXPECT_LE(route.body_bytes * route.body_copies, HttpOptions{}.held_bytes_of_client)
        << route.pattern << ": no client could send the longest body";
  }
}

}  // namespace
}  // namespace dl::web
