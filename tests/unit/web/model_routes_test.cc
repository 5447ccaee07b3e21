// Downloads, predictions and samples as routes.
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/web/site_fixture.h"

namespace dl::web {
namespace {

using security::Role;
using testing::HasSubstr;

constexpr char kFile[] = "/api/v1/jobs/mlp-1/checkpoints/10/model.safetensors";

// Returns the body that a stream writes.
std::string BodyOf(const HttpResponse& response) {
  class Text final : public StreamWriter {
   public:
    bool Write(std::string_view piece) override {
      text += piece;
      return true;
    }
    bool stopping() const override { return false; }
    std::string text;
  } text;
  if (!response.stream) return response.body;
  response.stream(text);
  return text.text;
}

class ModelRoutesTest : public SiteTest {
 protected:
  HttpResponse Get(const std::vector<std::pair<std::string, std::string>>& headers) {
    HttpRequest request = MakeAs(Role::kRead, "GET", kFile);
    for (const auto& [name, value] : headers) request.headers[name] = value;
    return Send(request);
  }
};

TEST_F(ModelRoutesTest, DownloadHasLengthNameAndVersion) {
  const HttpResponse response = Get({});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(BodyOf(response), "0123456789");
  EXPECT_EQ(response.length, 10);
  EXPECT_EQ(response.content_type, "application/octet-stream");
  EXPECT_EQ(HeaderOf(response, "ETag"), "\"v1\"");
  EXPECT_EQ(HeaderOf(response, "Accept-Ranges"), "bytes");
  EXPECT_EQ(HeaderOf(response, "Cache-Control"), "private, no-cache");
  EXPECT_EQ(HeaderOf(response, "Content-Disposition"),
            "attachment; filename=\"mlp-1@10.safetensors\"");
  EXPECT_EQ(HeaderOf(response, "X-Content-Type-Options"), "nosniff");
}

TEST_F(ModelRoutesTest, RangeHasItsBytes) {
  const struct {
    const char* range;
    int status;
    const char* body;
    const char* content_range;
  } cases[] = {
      {"bytes=2-4", 206, "234", "bytes 2-4/10"},
      {"bytes=7-", 206, "789", "bytes 7-9/10"},
      {"bytes=-3", 206, "789", "bytes 7-9/10"},
      {"bytes=-30", 206, "0123456789", "bytes 0-9/10"},
      {"bytes=8-99", 206, "89", "bytes 8-9/10"},
      {"bytes=4-2", 200, "0123456789", ""},
      {"bytes=1-2,4-5", 200, "0123456789", ""},
      {"bytes=a-b", 200, "0123456789", ""},
      {"bytes=5", 200, "0123456789", ""},
      {"bytes=-", 200, "0123456789", ""},
      {"bytes=99999999999999999999-", 200, "0123456789", ""},
      {"lines=1-2", 200, "0123456789", ""},
  };
  for (const auto& one : cases) {
    const HttpResponse response = Get({{"range", one.range}});
    EXPECT_EQ(response.status, one.status) << one.range;
    EXPECT_EQ(BodyOf(response), one.body) << one.range;
    EXPECT_EQ(response.length, std::string_view(one.body).size()) << one.range;
    EXPECT_EQ(HeaderOf(response, "Content-Range"), one.content_range) << one.range;
  }
}

TEST_F(ModelRoutesTest, RangeBeyondTheEndIsAnError) {
  for (const char* range : {"bytes=10-", "bytes=10-12", "bytes=-0"}) {
    const HttpResponse response = Get({{"range", range}});
    EXPECT_EQ(response.status, 416) << range;
    EXPECT_EQ(HeaderOf(response, "Content-Range"), "bytes */10") << range;
  }
}

TEST_F(ModelRoutesTest, VersionDecidesWhatIsSent) {
  EXPECT_EQ(Get({{"if-none-match", "\"v1\""}}).status, 304);
  EXPECT_EQ(Get({{"if-none-match", "\"x\", W/\"v1\""}}).status, 304);
  EXPECT_EQ(Get({{"if-none-match", "\"v2\""}}).status, 200);
  EXPECT_EQ(Get({{"range", "bytes=1-2"}, {"if-range", "\"v1\""}}).status, 206);
  EXPECT_EQ(Get({{"range", "bytes=1-2"}, {"if-range", "\"v2\""}}).status, 200);
}

TEST_F(ModelRoutesTest, UnknownJobIsAnErrorAndNoStream) {
  const HttpResponse response =
      Send(MakeAs(Role::kRead, "GET", "/api/v1/jobs/other-1/checkpoints/10/model.safetensors"));
  EXPECT_EQ(response.status, 404);
  EXPECT_FALSE(response.stream);
}

TEST_F(ModelRoutesTest, PredictionsAreAnsweredOnTheComputingThreadAndChangeNothing) {
  HttpRequest request = MakeAs(Role::kRead, "POST", "/api/v1/jobs/mlp-1/predictions");
  const auto admitted = site_->CheckHead(request);
  ASSERT_TRUE(std::holds_alternative<BodyLimit>(admitted));
  EXPECT_TRUE(std::get<BodyLimit>(admitted).computes);
  EXPECT_EQ(std::get<BodyLimit>(admitted).bytes, 8 << 20);
  EXPECT_THAT(std::get<BodyLimit>(admitted).remedy, HasSubstr("dl-submit predict"));
  // Two bodies have two answers.
  for (const char* body : {"1", "22"}) {
    request.body = body;
    EXPECT_THAT(Send(request).body,
                HasSubstr(absl::StrCat("\"bytes\":", std::string_view(body).size())));
  }
  // A page of another site cannot ask either.
  HttpRequest foreign = Make("POST", "/api/v1/jobs/mlp-1/predictions");
  foreign.headers["cookie"] = Login(Role::kRead);
  EXPECT_EQ(Send(foreign).status, 403);
}

TEST_F(ModelRoutesTest, ExecutorsGetNoModelsAndNoData) {
  const std::pair<const char*, std::string> requests[] = {
      {"GET", kFile},
      {"POST", "/api/v1/jobs/mlp-1/predictions"},
      {"GET", "/api/v1/jobs/mlp-1/dataset/samples"},
      {"GET", "/api/v1/jobs/mlp-1/checkpoints/last/evaluation"},
      {"GET", "/jobs/mlp-1/data/pictures/0"}};
  for (const auto& [method, target] : requests)
    EXPECT_EQ(Send(MakeAs(Role::kExecute, method, target)).status, 403) << target;
}

TEST_F(ModelRoutesTest, SamplesHaveLimits) {
  const std::string samples = "/api/v1/jobs/mlp-1/dataset/samples";
  EXPECT_THAT(Send(MakeAs(Role::kRead, "GET", samples)).body,
              HasSubstr(R"("set":"train","first":0,"count":16)"));
  EXPECT_THAT(Send(MakeAs(Role::kRead, "GET", samples + "?set=test&first=3&count=64")).body,
              HasSubstr(R"("set":"test","first":3,"count":64)"));
  EXPECT_EQ(Send(MakeAs(Role::kRead, "GET", samples + "?count=65")).status, 400);
  EXPECT_EQ(Send(MakeAs(Role::kRead, "GET", samples + "?first=-1")).status, 400);
}

TEST_F(ModelRoutesTest, EvaluationsAreComputedAndHaveLimits) {
  const std::string target = "/api/v1/jobs/mlp-1/checkpoints/best/evaluation";
  const auto admitted = site_->CheckHead(MakeAs(Role::kRead, "GET", target));
  ASSERT_TRUE(std::holds_alternative<BodyLimit>(admitted));
  EXPECT_TRUE(std::get<BodyLimit>(admitted).computes);
  EXPECT_THAT(Send(MakeAs(Role::kRead, "GET", target)).body,
              HasSubstr(R"("round":"best","mistakes":32)"));
  EXPECT_THAT(Send(MakeAs(Role::kRead, "GET", target + "?mistakes=0")).body,
              HasSubstr(R"("mistakes":0)"));
  EXPECT_EQ(Send(MakeAs(Role::kRead, "GET", target + "?mistakes=101")).status, 400);
  models_.refusal = MakeError(absl::StatusCode::kUnimplemented, {.message = "no predictions"});
  Open({});  // without recent answers
  EXPECT_EQ(Send(MakeAs(Role::kRead, "GET", target)).status, 501);
}

TEST_F(ModelRoutesTest, PictureIsAnImage) {
  const HttpResponse picture =
      Send(MakeAs(Role::kRead, "GET", "/jobs/mlp-1/data/pictures/2?set=test"));
  EXPECT_EQ(picture.status, 200);
  EXPECT_EQ(picture.content_type, "image/png");
  EXPECT_EQ(picture.body, "PNG test 2");
  for (const char* index : {"3", "-1", "x", "99999999999999999999"}) {
    EXPECT_EQ(
        Send(MakeAs(Role::kRead, "GET", absl::StrCat("/jobs/mlp-1/data/pictures/", index))).status,
        400)
        << index;
  }
}

}  // namespace
}  // namespace dl::web
