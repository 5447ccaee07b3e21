// Small parts of the web server: targets, sessions, texts, figures for Prometheus.
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "master/core/job/job_state.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/security/hand_clock.h"
#include "tests/unit/web/scripted_clients.h"
#include "web/access/browser_sessions.h"
#include "web/answer_cache.h"
#include "web/api/event_broadcast.h"
#include "web/api/job_list.h"
#include "web/api/prometheus_text.h"
#include "web/http/http_message.h"
#include "web/pages/page_renderer.h"
#include "web/pages/page_values.h"
#include "web/pages/text_format.h"

namespace dl::web {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

TEST(Target, HasDecodedSegmentsAndParameters) {
  const auto target = ParseTarget("/jobs/a%20b%2Fc/?text=x+y%26z&empty=&bare");
  DL_ASSERT_OK(target);
  EXPECT_THAT(target->segments, ElementsAre("jobs", "a b/c"));
  EXPECT_THAT(target->parameters,
              ElementsAre(Pair("text", "x y&z"), Pair("empty", ""), Pair("bare", "")));
  EXPECT_TRUE(ParseTarget("/")->segments.empty());
  EXPECT_EQ(ParseTarget("/" + EscapeForTarget("ü &?/%"))->segments.at(0), "ü &?/%");
}

TEST(JobList, KnowsEachStateOfTheMaster) {
  for (int number = 1; number <= 12; ++number) {
    const std::string_view name = master::JobStateName(static_cast<master::JobState>(number));
    EXPECT_FALSE(name.empty()) << number;
    EXPECT_THAT(kJobStates, testing::Contains(name));
  }
  EXPECT_EQ(std::size(kJobStates), 13u) << "and INTERRUPTED";
}

TEST(AnswerCache, ReturnsTheSameAnswerForASecond) {
  security::HandClock clock;
  AnswerCache cache(clock);
  int made = 0;
  const auto get = [&](const std::string& key, int status = 200) {
    return cache
        .Get(key, [&] { return HttpResponse{.status = status, .body = std::to_string(++made)}; })
        .body;
  };
  EXPECT_EQ(get("a"), "1");
  clock.Pass(std::chrono::milliseconds(999));
  EXPECT_EQ(get("a"), "1");
  EXPECT_EQ(get("b"), "2");
  clock.Pass(std::chrono::milliseconds(1));
  EXPECT_EQ(get("a"), "3");
  cache.Clear();
  EXPECT_EQ(get("a"), "4");
  EXPECT_EQ(cache
                .Get("b",
                     [&] {
                       cache.Clear();  // something changes while the answer is made
                       return HttpResponse{.status = 200, .body = "outdated"};
                     })
                .body,
            "outdated");
  EXPECT_EQ(get("b"), "5");
  made = 4;
  EXPECT_EQ(get("error", 404), "5");
  EXPECT_EQ(get("error", 404), "6");
  for (size_t i = 0; i < 2 * AnswerCache::kMaxAnswers; ++i) {
    get("k" + std::to_string(i));
    clock.Pass(std::chrono::milliseconds(1));
  }
  clock.Pass(std::chrono::milliseconds(500));
  EXPECT_EQ(get("k127"), std::to_string(6 + 128));
  EXPECT_EQ(get("k0"), std::to_string(6 + 129)) << "it was the oldest, and is not kept";
}

class BrowserSessionsTest : public testing::Test {
 protected:
  const security::Identity ann_ = {.owner = "ann"};
  security::HandClock clock_;
  BrowserSessions sessions_{{.session_lifetime = std::chrono::hours(2),
                             .code_lifetime = std::chrono::minutes(30),
                             .max_per_holder = 3,
                             .max_sessions = 5},
                            clock_};

  // Opens sessions of the caller, a second apart. Returns their cookies.
  std::vector<std::string> Open(const security::Identity& caller, int count) {
    std::vector<std::string> cookies;
    for (int i = 0; i < count; ++i) {
      cookies.push_back(*sessions_.Open(caller));
      clock_.Pass(std::chrono::seconds(1));
    }
    return cookies;
  }
  int CountOpen(const std::vector<std::string>& cookies) const {
    return static_cast<int>(std::ranges::count_if(
        cookies, [&](const std::string& cookie) { return sessions_.Find(cookie).has_value(); }));
  }
};

TEST_F(BrowserSessionsTest, SessionEndsAfterItsLifetime) {
  const std::string cookie = *sessions_.Open(ann_);
  EXPECT_EQ(sessions_.Find(cookie), ann_);
  clock_.Pass(std::chrono::hours(2));
  EXPECT_EQ(sessions_.Find(cookie), std::nullopt);
}

TEST_F(BrowserSessionsTest, WrongSecretOpensNothing) {
  std::string cookie = *sessions_.Open(ann_);
  cookie.back() = cookie.back() == 'A' ? 'B' : 'A';
  EXPECT_EQ(sessions_.Find(cookie), std::nullopt);
  EXPECT_EQ(sessions_.Find(""), std::nullopt);
  EXPECT_EQ(sessions_.Find("."), std::nullopt);
}

TEST_F(BrowserSessionsTest, CodeExpiresAndIsNoSession) {
  const std::string code = *sessions_.MakeCode(ann_);
  EXPECT_EQ(sessions_.Find(code), std::nullopt);
  clock_.Pass(std::chrono::minutes(30));
  EXPECT_THAT(sessions_.Redeem(code), test::IsError(absl::StatusCode::kUnauthenticated, "expired"));
}

TEST_F(BrowserSessionsTest, FurtherSessionEndsTheOldestOfItsToken) {
  const security::Identity first = {.owner = "ann", .token = "t1"};
  const security::Identity second = {.owner = "ann", .token = "t2"};
  const std::vector<std::string> others = Open(second, 2);
  const std::vector<std::string> cookies = Open(first, 4);
  EXPECT_EQ(sessions_.Find(cookies[0]), std::nullopt);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(sessions_.Find(cookies[i]), first);
  Open(first, 20);
  EXPECT_EQ(CountOpen(others), 2) << "logins with one token end no session of another";
}

TEST_F(BrowserSessionsTest, TotalLimitEndsASessionOfTheLargestHolder) {
  const std::vector<std::string> of_ann = Open(ann_, 3);
  const std::vector<std::string> of_bob = Open({.owner = "bob", .token = "t1"}, 2);
  const std::vector<std::string> of_cleo = Open({.owner = "cleo", .token = "t2"}, 1);
  EXPECT_EQ(sessions_.Find(of_ann[0]), std::nullopt);
  EXPECT_EQ(CountOpen(of_ann), 2);
  EXPECT_EQ(CountOpen(of_bob), 2);
  EXPECT_EQ(CountOpen(of_cleo), 1);
  Open({.owner = "bob", .token = "t1"}, 10);
  EXPECT_EQ(CountOpen(of_ann), 2) << "a holder that is as large ends sessions of its own";
  EXPECT_EQ(CountOpen(of_cleo), 1);
}

TEST(TextFormat, ShowsNumbersAsPeopleReadThem) {
  EXPECT_EQ(CountText(0), "0");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(1000), "1,000");
  EXPECT_EQ(CountText(-1234567), "-1,234,567");
  EXPECT_EQ(BytesText(1023), "1023 B");
  EXPECT_EQ(BytesText(1536), "1.5 KiB");
  EXPECT_EQ(BytesText(3.2e12), "2.9 TiB");
  EXPECT_EQ(DurationText(0), "0 s");
  EXPECT_EQ(DurationText(0.00004), "0 s") << "not 0 ms";
  EXPECT_EQ(DurationText(0.00042), "0.4 ms");
  EXPECT_EQ(DurationText(0.25), "250 ms");
  EXPECT_EQ(DurationText(1.34), "1.3 s");
  EXPECT_EQ(DurationText(9.97), "10 s");
  EXPECT_EQ(DurationText(59.6), "1 min");
  EXPECT_EQ(DurationText(192), "3 min 12 s");
  EXPECT_EQ(DurationText(90061), "1 d 1 h");
  EXPECT_EQ(TimeText(0), "1970-01-01 00:00:00");
  EXPECT_EQ(NumberText(0.12681997), "0.1268");
  EXPECT_EQ(NumberText(1.25e-7), "1.25e-7");
  EXPECT_EQ(NumberText(1234.6), "1,235");
  EXPECT_EQ(NumberText(20), "20");
  EXPECT_EQ(PercentText(0.9312), "93.1 %");
}

TEST(PageRenderer, MissingTemplateIsAnError) {
  EXPECT_THAT(RenderPage("nothing", Json::object()),
              test::IsError(absl::StatusCode::kInternal, "nothing"));
}

TEST(PageRenderer, TextInASectionIsEscapedOnce) {
  const auto page = RenderPage(
      "checkpoints", {{"checkpoints", {{{"state_sha256", "a&b<0123456789"}, {"epoch", "c&d"}}}}});
  DL_ASSERT_OK(page);
  EXPECT_THAT(*page, testing::HasSubstr(">a&amp;b&lt;01234567</code>"));
  EXPECT_THAT(*page, testing::HasSubstr(">c&amp;d</td>"));
}

TEST(PageValues, NameStatesAndListMaps) {
  Json document = {{"jobs", {{{"state", "RUNNING"}, {"metrics", {{"loss", 0.5}}}}}},
                   {"state", "not <a> word"}};
  AddPageValues(document, "");
  const Json& job = document["jobs"][0];
  EXPECT_EQ(job["is_running"], true);
  EXPECT_EQ(job["metrics_list"][0], (Json{{"key", "loss"}, {"value", 0.5}}));
  EXPECT_EQ(document.size(), 2u);
}

TEST(JobList, FiltersAndContinues) {
  ScriptedClients clients;
  clients.Set(rpc::QueryKind::kJobs, R"([
      {"job":"cnn-3","state":"FAILED","owner":"bob"},
      {"job":"mlp-2","state":"RUNNING","owner":"ann","rounds":10,"rounds_total":40,"wall_seconds":5},
      {"job":"mlp-1","state":"SUCCEEDED","owner":"ann"}])");
  const auto read = [&](const JobListRequest& request) {
    auto text = JobList(clients, request);
    EXPECT_THAT(text, test::IsOk());
    return *ParseJson(*text, "jobs");
  };
  const Json first = read({.limit = 2});
  EXPECT_EQ(first["jobs"].size(), 2u);
  EXPECT_EQ(first["next_before"], 2);
  EXPECT_EQ(first["jobs"][1]["eta_seconds"], 15.0);
  EXPECT_FALSE(read({.limit = 3}).contains("next_before"));
  EXPECT_EQ(read({.limit = 9, .state = "running"})["jobs"][0]["job"], "mlp-2");
  EXPECT_EQ(read({.limit = 9, .text = "ANN"})["jobs"].size(), 2u);
  (void)read({.before = 2, .limit = 1});
  EXPECT_EQ(clients.queries().back().last, 1);
}

TEST(PrometheusText, HasOneHeadForEachMetric) {
  ScriptedClients clients;
  clients.Set(
      rpc::QueryKind::kJobs,
      R"([{"job":"a\"b-2","state":"RUNNING","rounds":3,"metrics":{"train":{"loss":0.5}}}])");
  clients.Set(rpc::QueryKind::kCluster, R"({"term":2,"retries":{"states":4},"core":{"steps":7},
      "executors":[{"executor":"node1","slots":4},{"executor":"node2","slots":2,"draining":true}]})");
  const auto text = PrometheusText(clients);
  DL_ASSERT_OK(text);
  EXPECT_THAT(*text, HasSubstr("paravane_retries_total{purpose=\"states\"} 4"));
  EXPECT_THAT(*text, HasSubstr("paravane_executors{condition=\"draining\"} 1"));
  EXPECT_THAT(*text, HasSubstr("paravane_executors{condition=\"available\"} 1"));
  EXPECT_THAT(
      *text,
      HasSubstr("paravane_job_metric{job_id=\"a\\\"b-2\",set=\"train\",metric=\"loss\"} 0.5"));
  const std::string head = "# TYPE paravane_executor_slots gauge";
  EXPECT_EQ(text->find(head), text->rfind(head));
  EXPECT_THAT(*text, Not(HasSubstr("paravane_executor_cached_bytes")));
}

TEST(EventBroadcast, ReaderOfOlderEventsGetsAllEvents) {
  ScriptedClients clients;
  const auto add = [&](int number) {
    clients.AddEvent("{\"seq\":" + std::to_string(number) + "}");
  };
  const int count = static_cast<int>(EventBroadcast::kMaxKeptEvents) + 10;
  for (int i = 1; i <= count; ++i) add(i);
  EventBroadcast events(clients);
  // The first reader begins the watch, which keeps the newest events only.
  auto reply = events.Read("mlp-1", 0, std::chrono::seconds(20));
  DL_ASSERT_OK(reply);
  auto late = events.Read("mlp-1", 0, std::chrono::seconds(20));
  DL_ASSERT_OK(late);
  EXPECT_EQ(std::ranges::count(late->text, '\n'), 4 * count);  // id, event, data, empty line
  EXPECT_EQ(late->last, count);
}

TEST(EventBroadcast, ManyStreamsWriteLessOften) {
  using std::chrono::milliseconds;
  EXPECT_EQ(EventBroadcast::WriteIntervalOf(1), milliseconds(200));
  EXPECT_EQ(EventBroadcast::WriteIntervalOf(10), milliseconds(200));
  EXPECT_EQ(EventBroadcast::WriteIntervalOf(50), milliseconds(1000));
}

TEST(EventBroadcast, StopEndsWaits) {
  ScriptedClients clients;
  EventBroadcast events(clients);
  Thread reader("reader",
                [&] { EXPECT_THAT(events.Read("mlp-1", 0, std::chrono::hours(1)), test::IsOk()); });
  clients.WaitForEventCall();
  events.Stop();
  reader.Join();
  EXPECT_THAT(events.Read("mlp-1", 0, Duration::zero()),
              test::IsError(absl::StatusCode::kUnavailable, ""));
}

}  // namespace
}  // namespace dl::web
