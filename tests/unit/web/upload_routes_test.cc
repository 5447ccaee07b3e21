// Uploads of blocks, and submissions of jobs on uploaded data.
#include <memory>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/web/site_fixture.h"

namespace dl::web {
namespace {

using security::Role;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

const std::string kName(64, 'a'), kOther(64, 'b');

class UploadRoutesTest : public SiteTest {
 protected:
  HttpResponse SendBody(std::string method, const std::string& target, std::string body) {
    HttpRequest request = MakeAs(Role::kSubmit, std::move(method), target);
    request.body = std::move(body);
    return Send(request);
  }
};

TEST_F(UploadRoutesTest, BlockIsStoredUnderItsNameAndNoLongerMissing) {
  const std::string names = JsonText({{"sha256", {kName, kOther}}});
  EXPECT_EQ(Json::parse(SendBody("POST", "/api/v1/blocks/missing", names).body),
            Json({{"missing", {kName, kOther}}}));
  const std::string bytes("a\0b\xff{", 5);  // blocks are no text
  const HttpResponse stored = SendBody("PUT", "/api/v1/blocks/" + kName, bytes);
  EXPECT_EQ(stored.status, 200) << stored.body;
  EXPECT_EQ(Json::parse(stored.body), Json({{"sha256", kName}, {"bytes", 5}}));
  EXPECT_THAT(clients_.blocks(), UnorderedElementsAre(Pair(kName, bytes)));
  EXPECT_EQ(Json::parse(SendBody("POST", "/api/v1/blocks/missing", names).body),
            Json({{"missing", {kOther}}}));
}

TEST_F(UploadRoutesTest, ErrorsOfTheMasterAreProblems) {
  clients_.RefuseActions(InvalidArgument({.message = "the content does not match its name"}));
  const HttpResponse wrong = SendBody("PUT", "/api/v1/blocks/" + kName, "x");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(wrong.content_type, "application/problem+json");
  EXPECT_THAT(wrong.body, HasSubstr("does not match"));
  clients_.RefuseActions(ResourceExhausted({.message = "the disk is full"}));
  EXPECT_EQ(SendBody("PUT", "/api/v1/blocks/" + kName, "x").status, 429);
}

TEST_F(UploadRoutesTest, WrongListsOfNamesAreErrors) {
  for (const char* body :
       {"", "[]", "{}", R"({"sha256":"a"})", R"({"sha256":[1]})", R"({"sha256":[],"more":1})"}) {
    EXPECT_EQ(SendBody("POST", "/api/v1/blocks/missing", body).status, 400) << body;
  }
  const Json many = {{"sha256", std::vector<std::string>(10'001, "a")}};
  const HttpResponse refused = SendBody("POST", "/api/v1/blocks/missing", JsonText(many));
  EXPECT_EQ(refused.status, 429);
  EXPECT_THAT(refused.body, HasSubstr("at most 10000"));
}

// The memory of a body and of its copies is charged to the token that sends it.
TEST_F(UploadRoutesTest, BodiesAreLimitedAndChargedWithTheirCopies) {
  const HttpRequest put = MakeAs(Role::kSubmit, "PUT", "/api/v1/blocks/" + kName);
  const auto admitted = site_->CheckHead(put);
  ASSERT_TRUE(std::holds_alternative<BodyLimit>(admitted));
  const BodyLimit& limit = std::get<BodyLimit>(admitted);
  EXPECT_EQ(limit.bytes, limits::kMaxBlockBytes);
  EXPECT_EQ(limit.copies, 2);
  EXPECT_THAT(limit.client, HasSubstr("token "));
  EXPECT_THAT(limit.remedy, HasSubstr("dl-submit import"));
}

// A larger block does not fit into the share of a token.
TEST_F(UploadRoutesTest, ServerReceivesOneBlockAbove16MibAtATime) {
  constexpr int64_t kLarge = limits::kWeightsBlockBytes + 1;
  const auto admit = [&](int64_t length) {
    HttpRequest put = MakeAs(Role::kSubmit, "PUT", "/api/v1/blocks/" + kName);
    put.headers["content-length"] = absl::StrCat(length);
    auto admitted = site_->CheckHead(put);
    if (auto* refusal = std::get_if<HttpResponse>(&admitted))
      return std::pair(refusal->status, std::shared_ptr<BodySink>());
    return std::pair(0, std::get<BodyLimit>(admitted).sink);
  };
  EXPECT_EQ(admit(limits::kWeightsBlockBytes).second, nullptr) << "counts for its token";
  {
    const auto [status, sink] = admit(kLarge);
    ASSERT_NE(sink, nullptr) << status;
    EXPECT_EQ(admit(kLarge).first, 429);
  }  // the connection has broken off
  HttpRequest put = MakeAs(Role::kSubmit, "PUT", "/api/v1/blocks/" + kName);
  put.sink = admit(limits::kMaxBlockBytes).second;
  ASSERT_NE(put.sink, nullptr);
  EXPECT_THAT(put.sink->Write("a"), test::IsOk());
  EXPECT_THAT(put.sink->Write("b"), test::IsOk());
  EXPECT_EQ(Json::parse(site_->Answer(put).body), Json({{"sha256", kName}, {"bytes", 2}}));
  EXPECT_THAT(clients_.blocks(), UnorderedElementsAre(Pair(kName, "ab")));
}

TEST_F(UploadRoutesTest, UploadsKeepTheAnswersOfOpenPages) {
  const HttpRequest read = MakeAs(Role::kRead, "GET", "/api/v1/jobs/mlp-1");
  Send(read);
  const size_t asked = clients_.queries().size();
  SendBody("PUT", "/api/v1/blocks/" + kName, "x");
  Send(read);
  EXPECT_EQ(clients_.queries().size(), asked);
}

TEST_F(UploadRoutesTest, ServerOfAFolderTakesNoBlocks) {
  Open({.read_only = true});
  EXPECT_EQ(SendBody("PUT", "/api/v1/blocks/" + kName, "x").status, 404);
  EXPECT_EQ(SendBody("POST", "/api/v1/blocks/missing", "{}").status, 404);
  EXPECT_TRUE(clients_.blocks().empty());
}

// Returns a spec whose training set is a manifest.
Json SpecOfManifest() {
  return Json::parse(R"({"name":"mlp","model":{"input":{"type":"feed_forward",
    "features":2},"layers":[{"type":"output","units":2,"loss":"softmax_cross_entropy"}]},
    "data":{"train":{"format":"manifest","sha256":")" +
                     kName + R"(","examples":4,"feature_shape":[2],"classes":2,"targets":0}}})");
}

TEST_F(UploadRoutesTest, SpecIsSubmittedWithItsDefaultsAndManifests) {
  const Json body = {{"spec", SpecOfManifest()},
                     {"train_manifest", R"({"blocks":[]})"},
                     {"test_manifest", "{}"},
                     {"set", {{"training.epochs", 7}}},
                     {"request_id", "r1"}};
  const HttpResponse response = SendBody("POST", "/api/v1/jobs", JsonText(body));
  EXPECT_EQ(response.status, 201) << response.body;
  ASSERT_EQ(clients_.submissions().size(), 1u);
  const rpc::SubmitRequest sent = clients_.submissions()[0];
  EXPECT_EQ(sent.train_manifest, R"({"blocks":[]})");
  EXPECT_EQ(sent.test_manifest, "{}");
  EXPECT_EQ(sent.request_id, "r1");
  EXPECT_EQ(sent.by.owner, "ann");
  const Json spec = Json::parse(sent.spec);
  EXPECT_EQ(spec["training"]["epochs"], 7);
  EXPECT_TRUE(spec["training"].contains("batch_size")) << "the defaults";
  EXPECT_TRUE(clients_.queries().empty()) << "no other job is read";
}

TEST_F(UploadRoutesTest, WrongSubmissionsNameTheKey) {
  const Json spec = SpecOfManifest();
  Json unknown = spec;
  unknown["modell"] = 1;
  const std::pair<Json, const char*> cases[] = {
      {{{"spec", spec}}, "train_manifest"},
      {{{"spec", spec}, {"train_manifest", "{}"}, {"copy_of", "mlp-1"}}, "exclude each other"},
      {{{"copy_of", "mlp-1"}, {"train_manifest", "{}"}}, "copy_of and manifests"},
      {{{"copy_of", "mlp-1"}, {"test_manifest", "{}"}}, "test_manifest"},
      {{{"train_manifest", "{}"}}, "neither copy_of nor spec"},
      {{{"spec", spec}, {"train_manifest", {{"blocks", 1}}}}, "train_manifest"},
      {{{"spec", 7}, {"train_manifest", "{}"}}, "spec: must be an object"},
      {{{"spec", unknown}, {"train_manifest", "{}"}}, "modell"},
      {{{"spec", spec}, {"train_manifest", "{}"}, {"set", {{"data.normalizer", "none"}}}},
       "as they were imported"},
  };
  for (const auto& [body, text] : cases) {
    const HttpResponse response = SendBody("POST", "/api/v1/jobs", JsonText(body));
    EXPECT_EQ(response.status, 400) << body;
    EXPECT_THAT(response.body, HasSubstr(text)) << body;
  }
  EXPECT_TRUE(clients_.submissions().empty());
}

}  // namespace
}  // namespace dl::web
