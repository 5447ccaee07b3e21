// Uploads of files for imports, and jobs on them.
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/web/site_fixture.h"

namespace dl::web {
namespace {

using security::Role;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

const std::string kTrainSet(64, 'a');

class ImportRoutesTest : public SiteTest {
 protected:
  HttpResponse SendFile(const std::string& target, const std::string& length = "3") {
    HttpRequest request = MakeAs(Role::kSubmit, "POST", target);
    request.headers["content-length"] = length;
    auto admitted = site_->CheckHead(request);
    if (auto* refusal = std::get_if<HttpResponse>(&admitted)) return std::move(*refusal);
    request.sink = std::get<BodyLimit>(admitted).sink;
    if (request.sink == nullptr) return {.status = 0};
    EXPECT_THAT(request.sink->Write("a,b"), test::IsOk());
    return site_->Answer(request);
  }
  HttpResponse Submit(const Json& body) {
    HttpRequest request = MakeAs(Role::kSubmit, "POST", "/api/v1/jobs");
    request.body = JsonText(body);
    return Send(request);
  }
};

TEST_F(ImportRoutesTest, ParametersAreTheFlagsOfImport) {
  const HttpResponse response = SendFile(
      "/api/v1/imports?file=t.csv&label=-1&regression=1&date_parts=a&date_parts=b"
      "&test_fraction=0.2&keep=");
  EXPECT_EQ(response.status, 202) << response.body;
  EXPECT_EQ(HeaderOf(response, "Location"), "/api/v1/imports/i1");
  EXPECT_EQ(imports_.received, "a,b");
  EXPECT_EQ(imports_.last.file, "t.csv");
  EXPECT_EQ(imports_.last.bytes, 3);
  EXPECT_EQ(imports_.last.caller.owner, "ann");
  EXPECT_THAT(imports_.last.client, HasSubstr("token "));
  EXPECT_THAT(imports_.last.flags,
              ElementsAre(Pair("label", "-1"), Pair("regression", ""), Pair("date-parts", "a"),
                          Pair("date-parts", "b"), Pair("test-fraction", "0.2")));
}

// A parameter must not become another flag, such as one that names a file of the master.
TEST_F(ImportRoutesTest, OtherFlagsAreNoParameters) {
  for (const char* name : {"output", "data_dir", "master", "config", "memory", "json", "token_file",
                           "test_output", "regression=yes&x"}) {
    const HttpResponse response =
        SendFile(std::string("/api/v1/imports?file=t.csv&") + name + "=1");
    EXPECT_EQ(response.status, 400) << name;
  }
  EXPECT_EQ(imports_.last.file, "");
}

TEST_F(ImportRoutesTest, FileBeyondTheLimitReservesNothing) {
  EXPECT_EQ(SendFile("/api/v1/imports?file=t.csv", "1073741825").status, 0);
  EXPECT_EQ(imports_.last.file, "");
}

TEST_F(ImportRoutesTest, RefusalsComeBeforeTheBody) {
  imports_.refusal = ResourceExhausted({.message = "too many files"});
  const HttpResponse response = SendFile("/api/v1/imports?file=t.csv");
  EXPECT_EQ(response.status, 429);
  EXPECT_THAT(response.body, HasSubstr("too many files"));
  EXPECT_EQ(imports_.received, "");
}

TEST_F(ImportRoutesTest, JobTrainsOnAnImport) {
  imports_.data = R"({"train":{"format":"manifest","sha256":")" + kTrainSet +
                  R"(","examples":4,"feature_shape":[2],"classes":0,"targets":1},
                      "normalizer":"min_max"})";
  Json spec = Json::parse(R"({"name":"mlp","model":{"input":{"type":"feed_forward",
    "features":2},"layers":[{"type":"output","units":1,"loss":"mean_squared_error"}]}})");
  const HttpResponse response = Submit({{"spec", spec}, {"import", "i1"}});
  ASSERT_EQ(response.status, 201) << response.body;
  const rpc::SubmitRequest sent = clients_.submissions().at(0);
  EXPECT_EQ(sent.train_manifest, "{\"train\":1}");
  const Json complete = Json::parse(sent.spec);
  EXPECT_EQ(complete["data"]["train"]["sha256"], kTrainSet);
  EXPECT_EQ(complete["data"]["normalizer"], "min_max");
  EXPECT_EQ(complete["training"]["target_normalizer"], "standardize");
  EXPECT_EQ(Submit({{"spec", spec}, {"import", "i2"}}).status, 404);
  EXPECT_THAT(Submit({{"copy_of", "mlp-1"}, {"import", "i1"}}).body, HasSubstr("exclude"));
  EXPECT_THAT(Submit({{"spec", spec}, {"import", "i1"}, {"train_manifest", "{}"}}).body,
              HasSubstr("exclude"));
  spec["data"] = Json::object();
  EXPECT_THAT(Submit({{"spec", spec}, {"import", "i1"}}).body, HasSubstr("defines the data"));
}

TEST_F(ImportRoutesTest, ServerWithoutImportsReturnsAnError) {
  site_ = std::make_unique<Site>(
      WebServerOptions{}, WebServices{.clients = &clients_, .tokens = tokens_.get()}, kSitePort);
  const HttpResponse refused = SendFile("/api/v1/imports?file=t.csv");
  EXPECT_EQ(refused.status, 501);
  EXPECT_EQ(refused.content_type, "application/problem+json");
  EXPECT_THAT(refused.body, HasSubstr("takes no files"));
  EXPECT_THAT(refused.body, HasSubstr("dl-submit import"));
  EXPECT_EQ(Send(MakeAs(Role::kSubmit, "GET", "/api/v1/imports")).body, "{\"imports\":[]}\n");
  EXPECT_EQ(Send(MakeAs(Role::kSubmit, "GET", "/api/v1/imports/i1")).status, 501);
  EXPECT_EQ(Send(MakeAs(Role::kSubmit, "DELETE", "/api/v1/imports/i1")).status, 501);
  EXPECT_EQ(Submit({{"spec", Json::object()}, {"import", "i1"}}).status, 501);
}

TEST_F(ImportRoutesTest, ServerOfAFolderTakesNoFiles) {
  Open({.read_only = true});
  EXPECT_EQ(SendFile("/api/v1/imports?file=t.csv").status, 404);
}

}  // namespace
}  // namespace dl::web
