// Sentences that say what to do, on pages and in answers of REST.
#include <chrono>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rpc/remedy.h"
#include "tests/unit/web/site_fixture.h"

namespace dl::web {
namespace {

using security::Role;
using testing::HasSubstr;

using RemediesTest = SiteTest;

// The master states remedies as data. Each place of a page that shows one makes a sentence of it.
TEST_F(RemediesTest, CommandsInSentencesNameTheMasterOrTheFolder) {
  const std::string action = R"("action":{"name":"resume","job":"mlp-1"})";
  clients_.Set(rpc::QueryKind::kJob,
               absl::StrCat(R"({"job":"mlp-1","state":"PAUSED","message":"m",)",
                            R"("owner":"ann","rounds":0,)", action, "}"));
  clients_.Set(rpc::QueryKind::kCheckpoints, "[]");
  clients_.AddEvent(
      absl::StrCat(R"({"seq":1,"unix_ms":1,"type":"warning","message":"w",)", action, "}"), false);
  models_.refusal =
      rpc::AttachRemedy(NotFound({.message = "no blocks"}), {.kind = rpc::RemedyKind::kListJobs});
  clients_.Set(rpc::QueryKind::kTrainManifest, R"({"examples":3})");
  const auto page = [&](const WebServerOptions& options, const char* target) {
    Open(options);
    return Send(MakeAs(Role::kRead, "GET", target)).body;
  };
  for (const auto& [options, flags] :
       {std::pair(WebServerOptions{.master_url = "dl://node3:7077"}, " --master dl://node3:7077"),
        {WebServerOptions{.data_dir = "/srv/a b"}, " --data-dir &apos;/srv/a b&apos;"}}) {
    const std::string resume = absl::StrCat("Continue it with: dl-submit resume mlp-1", flags, "<");
    EXPECT_THAT(page(options, "/jobs/mlp-1"), HasSubstr(resume));
    EXPECT_THAT(page(options, "/jobs/mlp-1/log"), HasSubstr(resume));
    EXPECT_THAT(page(options, "/jobs/mlp-1/data"),
                HasSubstr(absl::StrCat("no blocks. List the jobs with: dl-submit list", flags)));
  }
  clients_.RefuseQueries(
      rpc::AttachRemedy(NotFound({.message = "no job"}), {.kind = rpc::RemedyKind::kListJobs}));
  EXPECT_THAT(page({.master_url = "dl://node3:7077"}, "/jobs/mlp-9"),
              HasSubstr("<p>List the jobs with: dl-submit list --master dl://node3:7077</p>"));
}

// REST answers with the sentences of `status --json` and `logs --json`.
TEST_F(RemediesTest, DocumentsHaveRemediesAsSentences) {
  clients_.Set(rpc::QueryKind::kJob, R"({"job":"mlp-1","action":{"name":"resume","job":"mlp-1"}})");
  const Json job = Json::parse(Send(MakeAs(Role::kRead, "GET", "/api/v1/jobs/mlp-1")).body);
  EXPECT_EQ(job.value("remedy", ""), "Continue it with: dl-submit resume mlp-1");
  clients_.AddEvent(R"({"seq":1,"type":"state","action":{"name":"resume","job":"mlp-1"}})");
  EventBroadcast events(clients_);
  const auto read = events.Read("mlp-1", 0, std::chrono::seconds(20));
  DL_ASSERT_OK(read);
  EXPECT_THAT(read->text, HasSubstr(R"("remedy":"Continue it with: dl-submit resume mlp-1")"));
}

}  // namespace
}  // namespace dl::web
