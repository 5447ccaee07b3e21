// The answers of the site: pages, streams of events, and the description of the API.
#include <functional>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/job_spec.h"
#include "tests/unit/web/site_fixture.h"

namespace dl::web {
namespace {

using security::Role;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using SiteAnswersTest = SiteTest;

TEST_F(SiteAnswersTest, NamesCannotBecomePartOfAPage) {
  constexpr const char* kPayloads[] = {"<script>alert(1)</script>",
                                       "\\\"><img src=x onerror=alert(1)>",
                                       "' onload='alert(1)",
                                       "</title><script>x</script>",
                                       "{{{job}}}",
                                       "{{> part_head}}",
                                       "javascript:alert(1)",
                                       "<!--",
                                       "&lt;script&gt;",
                                       "</script>"};
  for (const char* payload : kPayloads) {
    const std::string job =
        absl::StrCat(R"({"job":"mlp-1","state":"FAILED","name":")", payload, R"(","owner":")",
                     payload, R"(","message":")", payload, R"(","reason":")", payload, R"("})");
    clients_.Set(rpc::QueryKind::kJobs, "[" + job + "]");
    clients_.Set(rpc::QueryKind::kJob, job);
    clients_.Set(rpc::QueryKind::kCheckpoints, "[]");
    Open({});  // without recent answers
    for (const char* target : {"/", "/jobs/mlp-1"}) {
      const HttpResponse response = Send(MakeAs(Role::kRead, "GET", target));
      ASSERT_EQ(response.status, 200) << response.body;
      for (const char* code : {"<script>alert", "<img src=x", "' onload='", "<script>x", "<!--"})
        EXPECT_THAT(response.body, Not(HasSubstr(code))) << target << " with " << payload;
    }
  }
}

TEST_F(SiteAnswersTest, CommandsNameTheMasterOrTheFolder) {
  clients_.Set(
      rpc::QueryKind::kJob,
      R"({"job":"mlp-1","name":"mlp","state":"SUCCEEDED","owner":"ann","checkpoint":"mlp-1@4"})");
  clients_.Set(rpc::QueryKind::kCheckpoints, "[]");
  const auto page = [&](const WebServerOptions& options, const char* target) {
    Open(options);
    return Send(MakeAs(Role::kRead, "GET", target)).body;
  };
  const WebServerOptions standing = {.master_url = "dl://node3:7077"};
  EXPECT_THAT(page(standing, "/jobs/mlp-1/checkpoints"),
              AllOf(HasSubstr("dl-submit evaluate mlp-1@best --master dl://node3:7077</code>"),
                    HasSubstr("dl-submit submit mlp.json --resume-from mlp-1@4 --master dl://")));
  EXPECT_THAT(page(standing, "/jobs/mlp-1/log"), HasSubstr("mlp-1 --master dl://node3:7077<"));
  EXPECT_THAT(page(standing, "/cluster"),
              HasSubstr("dl-submit executor --master dl://node3:7077 --slots 2"));

  const WebServerOptions folder = {.data_dir = "/srv/a b"};
  EXPECT_THAT(page(folder, "/jobs/mlp-1/checkpoints"),
              AllOf(HasSubstr("mlp-1@best --data-dir &apos;/srv/a b&apos;</code>"),
                    HasSubstr("dl-submit run mlp.json --resume-from mlp-1@4 --data-dir")));
  EXPECT_THAT(page(folder, "/cluster"), Not(HasSubstr("dl-submit executor")));
  Open(folder);
  EXPECT_THAT(Send(Make("GET", "/login")).body, Not(HasSubstr("/srv/a b")))
      << "a visitor without login sees no folder";
}

TEST_F(SiteAnswersTest, PageNamesCheckpointThatWasSetAsideByItsRollback) {
  clients_.Set(rpc::QueryKind::kJob,
               R"({"job":"mlp-1","name":"mlp","state":"RUNNING","owner":"ann"})");
  clients_.Set(rpc::QueryKind::kCheckpoints,
               R"([{"checkpoint":"mlp-1@30~2","round":30,"set_aside":2,"pinned":true},)"
               R"({"checkpoint":"mlp-1@30","round":30}])");
  Open({});
  const std::string page = Send(MakeAs(Role::kSubmit, "GET", "/jobs/mlp-1/checkpoints")).body;
  for (const char* text : {R"(<tr id="checkpoint-30~2">)", R"(<tr id="checkpoint-30">)",
                           R"(name="round" value="30~2")", R"(name="round" value="30")",
                           R"(aria-label="Unpin mlp-1@30~2")", R"(aria-label="Pin mlp-1@30")"})
    EXPECT_THAT(page, HasSubstr(text));
}

TEST_F(SiteAnswersTest, DescriptionHasEachRouteThatIsNoPage) {
  const auto document =
      ParseJson(Send(Make("GET", "/api/v1/openapi.json")).body, "the description");
  DL_ASSERT_OK(document);
  size_t operations = 0;
  for (const auto& path : document->at("paths")) operations += path.size();
  size_t routes = 0;
  std::set<std::string> ids;
  for (const Route& route : site_->routes().routes()) {
    if (route.answers == AnswerKind::kPage) continue;
    ++routes;
    EXPECT_FALSE(route.about.empty()) << route.pattern;
  }
  EXPECT_EQ(operations, routes);
  for (const auto& path : document->at("paths")) {
    for (const auto& operation : path)
      EXPECT_TRUE(ids.insert(operation.at("operationId")).second) << operation;
  }
}

// A browser keeps the files of a page until a program with other files shows the page.
TEST_F(SiteAnswersTest, FilesOfPagesHaveTheirVersionInTheirAddress) {
  const std::string page = Send(MakeAs(Role::kRead, "GET", "/")).body;
  const std::string begin = "<script src=\"";
  const size_t at = page.find(begin) + begin.size();
  const std::string address = page.substr(at, page.find('"', at) - at);
  const HttpResponse file = Send(Make("GET", address));
  EXPECT_EQ(file.status, 200) << address;
  EXPECT_THAT(HeaderOf(file, "Cache-Control"), HasSubstr("immutable"));
  EXPECT_EQ(HeaderOf(Send(Make("GET", "/assets/pages.js")), "Cache-Control"), "no-cache");
  EXPECT_EQ(HeaderOf(Send(Make("GET", "/assets/pages.js?v=1")), "Cache-Control"), "no-cache");
}

TEST_F(SiteAnswersTest, CurvesOfSeveralJobsAreInTheOrderOfTheRequest) {
  clients_.Set(rpc::QueryKind::kSeries, R"({"curves":[]})");
  const HttpResponse response =
      Send(MakeAs(Role::kRead, "GET", "/api/v1/metrics?job=b-2&job=a-1&series=train/*&points=60"));
  EXPECT_EQ(response.body, "{\"jobs\":[{\"curves\":[]},{\"curves\":[]}]}\n");
  const auto queries = clients_.queries();
  ASSERT_EQ(queries.size(), 2u);
  EXPECT_EQ(queries[0].job, "b-2");
  EXPECT_EQ(queries[1].job, "a-1");
  EXPECT_EQ(queries[1].series, "train/*");
  EXPECT_EQ(queries[1].max_entries, 60);
  std::string many = "/api/v1/metrics?job=a";
  for (int i = 0; i < 100; ++i) absl::StrAppend(&many, "&job=a");
  EXPECT_EQ(Send(MakeAs(Role::kRead, "GET", many)).status, 400);
}

TEST_F(SiteAnswersTest, ListNamesEachState) {
  for (const char* state :
       {"REJECTED", "QUEUED", "STARTING", "RUNNING", "RECOVERING", "WAITING", "CANCELLING",
        "CANCELLED", "SUCCEEDED", "FAILED", "PAUSING", "PAUSED", "INTERRUPTED"}) {
    Open({});  // answers of a site may be a second old
    clients_.Set(rpc::QueryKind::kJobs,
                 absl::StrCat(R"([{"job":"mlp-1","state":")", state, "\"}]"));
    const HttpResponse response = Send(MakeAs(Role::kRead, "GET", "/"));
    EXPECT_EQ(response.status, 200);
    const std::string word = std::string(1, state[0]) + absl::AsciiStrToLower(state + 1);
    EXPECT_THAT(response.body, HasSubstr(absl::StrCat("s-", state, "\">", word, "<")));
  }
}

// A page that is not live opens no stream of events.
TEST_F(SiteAnswersTest, InterruptedJobIsNotLive) {
  clients_.Set(rpc::QueryKind::kSpec, R"({"name":"mlp"})");
  for (const auto& [state, is_live] : {std::pair("INTERRUPTED", false), {"RUNNING", true}}) {
    Open({});
    clients_.Set(rpc::QueryKind::kJob, absl::StrCat(R"({"job":"mlp-1","state":")", state, "\"}"));
    const HttpResponse response = Send(MakeAs(Role::kRead, "GET", "/jobs/mlp-1/settings"));
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body.find("data-job-live") != std::string::npos, is_live) << state;
  }
}

// Returns the spec of a job with these epochs, whose second layer has these units.
std::string SpecOf(int epochs, int units) {
  const Json layers = {{{"type", "dense"}, {"units", 4}}, {{"type", "dense"}, {"units", units}}};
  return JsonText({{"format", job::kJobDocument.version()},
                   {"name", "mlp"},
                   {"model", {{"type", "sequential"}, {"layers", layers}}},
                   {"training", {{"epochs", epochs}}}});
}

TEST_F(SiteAnswersTest, TypeIsSetBeforeTheSettingsOfItsObject) {
  clients_.Set(rpc::QueryKind::kSpec, SpecOf(3, 8));
  clients_.Set(rpc::QueryKind::kTrainManifest, R"({"blocks":[]})");
  HttpRequest request = MakeAs(Role::kSubmit, "POST", "/api/v1/jobs");
  request.body = R"({"copy_of":"mlp-1","set":{"model.updater.momentum":0.5,
                     "model.updater.type":"nesterov"}})";
  EXPECT_EQ(Send(request).status, 201);
  ASSERT_EQ(clients_.submissions().size(), 1u);
  const Json sent = Json::parse(clients_.submissions()[0].spec);
  EXPECT_EQ(sent["model"]["updater"]["type"], "nesterov");
  EXPECT_EQ(sent["model"]["updater"]["momentum"], 0.5);
}

TEST_F(SiteAnswersTest, SubmissionHasTheDataOfAnotherJobAndOtherSettings) {
  clients_.Set(rpc::QueryKind::kSpec, SpecOf(3, 8));
  clients_.Set(rpc::QueryKind::kTrainManifest, R"({"blocks":[]})");
  HttpRequest request = MakeAs(Role::kSubmit, "POST", "/api/v1/jobs");
  request.body = R"({"copy_of":"mlp-1","set":{"training.epochs":5,"model.layers[1].units":16}})";
  const HttpResponse response = Send(request);
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(HeaderOf(response, "Location"), "/api/v1/jobs/mlp-2");
  ASSERT_EQ(clients_.submissions().size(), 1u);
  const rpc::SubmitRequest sent = clients_.submissions()[0];
  EXPECT_EQ(sent.spec, SpecOf(5, 16));
  EXPECT_EQ(sent.train_manifest, R"({"blocks":[]})");
  EXPECT_EQ(sent.test_manifest, "");
  EXPECT_EQ(sent.by.owner, "ann");
  EXPECT_FALSE(sent.request_id.empty());
}

// null unsets a key whose default is null.
TEST_F(SiteAnswersTest, NullIsAValueOfKeysThatMayBeUnset) {
  clients_.Set(rpc::QueryKind::kSpec, SpecOf(3, 8));
  clients_.Set(rpc::QueryKind::kTrainManifest, R"({"blocks":[]})");
  HttpRequest request = MakeAs(Role::kSubmit, "POST", "/api/v1/jobs");
  request.body = R"({"copy_of":"mlp-1","set":{"model.layers[1].l2":null,
                     "model.layers[1].labels_of":null,"training.early_stopping":null}})";
  const HttpResponse response = Send(request);
  EXPECT_EQ(response.status, 201) << response.body;
  ASSERT_EQ(clients_.submissions().size(), 1u);
  const Json sent = Json::parse(clients_.submissions()[0].spec);
  EXPECT_EQ(sent["model"]["layers"][1]["l2"], nullptr);
  EXPECT_EQ(sent["model"]["layers"][1]["labels_of"], nullptr);
  EXPECT_EQ(sent["training"]["early_stopping"], nullptr);
}

TEST_F(SiteAnswersTest, CopyOfAJobThatIsMissingIsAnError) {
  HttpRequest request = MakeAs(Role::kSubmit, "POST", "/api/v1/jobs");
  request.body = R"({"copy_of":"mlp-9"})";
  const HttpResponse refused = Send(request);
  EXPECT_EQ(refused.status, 404);
  EXPECT_THAT(refused.body, HasSubstr("there is no job mlp-9"));
  EXPECT_THAT(refused.body, HasSubstr(R"("where":"copy_of")"));
}

TEST_F(SiteAnswersTest, WrongSubmissionsAreErrors) {
  clients_.Set(rpc::QueryKind::kSpec, SpecOf(3, 8));
  clients_.Set(rpc::QueryKind::kTrainManifest, "{}");
  const std::pair<const char*, const char*> cases[] = {
      {"", "body"},
      {"[]", "object"},
      {R"({"set":{}})", "copy_of"},
      {R"({"copy_of":"mlp-1","sett":{}})", "set"},
      {R"({"copy_of":"mlp-1","set":[]})", "set"},
      {R"({"copy_of":"mlp-1","set":{"data.normalizer":"none"}})", "cannot be changed"},
      {R"({"copy_of":"mlp-1","resume_from":"a-1@1","init_from":"a-1@1"})", "exclude each other"},
      {R"({"copy_of":"mlp-1","set":{"training.epoch":1}})", R"(did you mean \"training.epochs\")"},
      {R"({"copy_of":"mlp-1","set":{"training.epochs.x":1}})", "training.epochs.x"},
      {R"({"copy_of":"mlp-1","set":{"training.epochs":"many"}})", "whole number"},
      {R"({"copy_of":"mlp-1","set":{"name":null}})", "name: null is no value of this key"},
      {R"({"copy_of":"mlp-1","set":{"training.epochs":null}})", "null is no value of this key"},
      {R"({"copy_of":"mlp-1","set":{"model.updater":null}})", "null is no value of this key"},
      {R"({"copy_of":"mlp-1","set":{"model.layers[0].inputs":null}})", "null is no value"},
      {R"({"copy_of":"mlp-1","set":{"model.layers[0].name[0]":null}})", "has no key"},
      {R"({"copy_of":"mlp-1","set":{"model.layers[7].units":1}})", "has no entry 7"},
  };
  for (const auto& [body, text] : cases) {
    HttpRequest request = MakeAs(Role::kSubmit, "POST", "/api/v1/jobs");
    request.body = body;
    const HttpResponse response = Send(request);
    EXPECT_EQ(response.status, 400) << body;
    EXPECT_THAT(response.body, HasSubstr(text)) << body;
  }
  EXPECT_TRUE(clients_.submissions().empty());
}

// Collects what a stream writes, until it has seen a text.
class CollectedStream final : public StreamWriter {
 public:
  explicit CollectedStream(std::string until) : until_(std::move(until)) {}
  bool Write(std::string_view piece) override {
    text += piece;
    return text.find(until_) == std::string::npos;
  }
  bool stopping() const override { return false; }

  std::string text;

 private:
  const std::string until_;
};

TEST_F(SiteAnswersTest, StreamContinuesAfterTheLastEventOfTheClient) {
  for (int i = 1; i <= 3; ++i)
    clients_.AddEvent(absl::StrCat(R"({"seq":)", i, R"(,"type":"round"})"));
  HttpRequest request = MakeAs(Role::kRead, "GET", "/api/v1/jobs/mlp-1/events");
  request.headers["last-event-id"] = "1";
  const HttpResponse response = Send(request);
  ASSERT_TRUE(response.stream);
  EXPECT_EQ(response.content_type, "text/event-stream");
  CollectedStream stream("id: 3");
  response.stream(stream);
  EXPECT_THAT(stream.text, Not(HasSubstr("id: 1\n")));
  EXPECT_THAT(stream.text, HasSubstr("id: 2\nevent: round\ndata: {\"seq\":2,"));
  request.headers["last-event-id"] = "x";
  EXPECT_EQ(Send(request).status, 400);
}

// Calls a function when it has received some text. Ends the stream after `until`.
class InterruptedStream final : public StreamWriter {
 public:
  InterruptedStream(std::string text, std::function<void()> then, std::string until)
      : text_(std::move(text)), then_(std::move(then)), collected_(std::move(until)) {}
  bool Write(std::string_view piece) override {
    const bool goes_on = collected_.Write(piece);
    if (then_ && collected_.text.find(text_) != std::string::npos) std::exchange(then_, nullptr)();
    return goes_on;
  }
  bool stopping() const override { return false; }
  const std::string& text() const { return collected_.text; }

 private:
  const std::string text_;
  std::function<void()> then_;
  CollectedStream collected_;
};

TEST_F(SiteAnswersTest, StreamEndsWithItsTokenOrSession) {
  const security::Token token = TokenOf(Role::kRead);
  HttpRequest with_token = Make("GET", "/api/v1/jobs/mlp-1/events");
  with_token.headers["authorization"] = "Bearer " + token.credential();
  HttpRequest with_cookie = Make("GET", "/api/v1/jobs/mlp-1/events");
  HttpRequest logout = Make("POST", "/logout");
  logout.headers["cookie"] = with_cookie.headers["cookie"] = Login(Role::kRead);
  logout.headers["origin"] = "http://127.0.0.1:7080";
  HttpRequest with_revoked_login = Make("GET", "/api/v1/jobs/mlp-1/events");
  with_revoked_login.headers["cookie"] = Login(Role::kRead);
  const auto revoke_all = [&] {
    for (const security::TokenRecord& record : tokens_->List())
      DL_ASSERT_OK(tokens_->Revoke(record.id));
  };
  const std::pair<HttpRequest, std::function<void()>> ends[] = {
      {with_token, [&] { DL_ASSERT_OK(tokens_->Revoke(token.id)); }},
      {with_cookie, [&] { EXPECT_EQ(Send(logout).status, 303); }},
      {with_revoked_login, revoke_all}};
  int number = 1;
  clients_.AddEvent(R"({"seq":1,"type":"round"})");
  for (const auto& [request, end] : ends) {
    const std::string known = absl::StrCat("id: ", number), next = absl::StrCat("id: ", ++number);
    const auto end_and_add = [&] {
      end();
      clients_.AddEvent(absl::StrCat(R"({"seq":)", number, R"(,"type":"round"})"));
    };
    const HttpResponse response = Send(request);
    ASSERT_TRUE(response.stream) << response.body;
    InterruptedStream stream(known + "\n", end_and_add, next + "\n");
    response.stream(stream);
    EXPECT_THAT(stream.text(), Not(HasSubstr(next)));
    EXPECT_THAT(stream.text(), testing::EndsWith("has ended\"}\n\n"));
    EXPECT_THAT(stream.text(), HasSubstr("event: error\ndata: {\"code\":\"unauthenticated\""));
    EXPECT_EQ(Send(request).status, 401);
  }
}

TEST_F(SiteAnswersTest, StreamEndsWithTheResult) {
  clients_.AddEvent(R"({"seq":1,"type":"state"})");
  clients_.AddEvent(R"({"type":"result","state":"SUCCEEDED"})", true);
  CollectedStream stream("never");
  Send(MakeAs(Role::kRead, "GET", "/api/v1/jobs/mlp-1/events")).stream(stream);
  EXPECT_THAT(stream.text, HasSubstr("id: 1\n"));
  EXPECT_THAT(stream.text, testing::EndsWith("event: result\ndata: "
                                             "{\"type\":\"result\",\"state\":\"SUCCEEDED\"}\n\n"));
}

TEST_F(SiteAnswersTest, StreamOfOneJobTooManyIsRefusedBeforeItBegins) {
  std::vector<HttpResponse> open;
  const auto stream = [&](const std::string& job) {
    return Send(MakeAs(Role::kRead, "GET", absl::StrCat("/api/v1/jobs/", job, "/events")));
  };
  for (size_t i = 1; i <= EventBroadcast::kMaxJobs; ++i) {
    open.push_back(stream(absl::StrCat("mlp-", i)));
    ASSERT_EQ(open.back().status, 200) << i << open.back().body;
  }
  const HttpResponse refused = stream("other-1");
  EXPECT_EQ(refused.status, 429);
  EXPECT_FALSE(refused.stream);
  EXPECT_THAT(refused.body, HasSubstr("Close the pages of some jobs"));
  EXPECT_EQ(stream("mlp-1").status, 200) << "a job that is watched";
  clients_.AddEvent(R"({"type":"result"})", true);  // ends the waits
  site_->Stop();
}

TEST_F(SiteAnswersTest, ManyStreamsOfAJobAskTheMasterOnce) {
  clients_.AddEvent(R"({"seq":1,"type":"state"})");
  for (int i = 0; i < 20; ++i) {
    CollectedStream stream("id: 1");
    Send(MakeAs(Role::kRead, "GET", "/api/v1/jobs/mlp-1/events")).stream(stream);
  }
  // The first call returns the event, and each later call waits for the next one.
  EXPECT_LE(clients_.event_calls(), 5);
}

}  // namespace
}  // namespace dl::web
