#include "base/json.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/web/scripted_clients.h"
#include "web/documents/histogram_document.h"

namespace dl::web {
namespace {

constexpr char kAnswer[] = R"({"job":"j","rounds":7,"every_rounds":3,
  "shares":[0,0.05,0.25,0.5,0.75,0.95,1],"histograms":[
  {"name":"layer/b/c/parameters","rounds":[7],"values":[40],"quantiles":[[-4,-3,-2,-1,0,1,2]]},
  {"name":"layer/a/parameters","rounds":[7],"values":[10],"quantiles":[[-4,-3,-2,-1,0,1,2]]},
  {"name":"layer/b/c/activations","rounds":[7],"values":[80],"quantiles":[[0,0,0,0,1,2,3]]}]})";

TEST(HistogramDocument, RowsAreInTheOrderOfTheModel) {
  ScriptedClients clients;
  clients.Set(rpc::QueryKind::kHistograms, kAnswer);
  const Json model = {{"layers", {{{"name", "a"}}, {{"name", "b/c"}}}}};
  const auto document = ReadNewestHistograms(clients, "j", model);
  DL_ASSERT_OK(document);
  EXPECT_EQ((*document)["round"], 7);
  const Json& rows = (*document)["rows"];
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows[0]["layer"], "a");
  EXPECT_EQ(rows[1]["layer"], "b/c");
  EXPECT_EQ(rows[1]["of"], "parameters");
  EXPECT_EQ(rows[2]["of"], "activations");
  EXPECT_EQ(rows[2]["values"], 80);
  ASSERT_EQ(rows[0]["quantiles"].size(), 5);
  EXPECT_EQ(rows[0]["quantiles"][0]["value"], -3);
  EXPECT_EQ(rows[0]["quantiles"][4]["value"], 1);
  EXPECT_EQ(rows[0]["quantiles"][1]["is_inner"], true);
  EXPECT_EQ(rows[0]["quantiles"][2]["is_inner"], false);
  EXPECT_EQ(clients.queries().back().max_entries, 1);
}

TEST(HistogramDocument, JobWithoutHistogramsHasNone) {
  ScriptedClients clients;
  clients.Set(rpc::QueryKind::kHistograms,
              R"({"job":"j","rounds":0,"every_rounds":0,"shares":[],"histograms":[]})");
  const auto document = ReadNewestHistograms(clients, "j", Json::object());
  DL_ASSERT_OK(document);
  EXPECT_TRUE(document->is_null());
}

}  // namespace
}  // namespace dl::web
