// Whether schemas_test.cc checks every document that commands print, and the answers of REST.
#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/integration/bounds.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/schemas/printed_documents.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::test {
namespace {

std::set<std::string> DocumentsOf(const Json& schema, const Json& schemas) {
  std::set<std::string> names;
  for (const Json& one : schema.at("anyOf")) {
    const std::string name = one.at("$ref").get<std::string>().substr(8);  // after #/$defs/
    const Json& inner = schemas.at(name);
    if (inner.contains("anyOf")) {
      names.merge(DocumentsOf(inner, schemas));
    } else {
      names.insert(name);
    }
  }
  return names;
}

// A document that a command prints must be the output of a test.
TEST(PublishedSchemas, EveryDocumentIsPrinted) {
  const Json schemas = DlSubmit({"schema"}).result().at("$defs");
  std::set<std::string> all, printed;  // "COMMAND DOCUMENT"
  for (const auto& [test, lines] : PrintedDocuments()) printed.insert(lines.begin(), lines.end());
  const auto is_printed = [&](const std::string& command, const std::set<std::string>& documents) {
    return std::ranges::any_of(documents, [&](const std::string& document) {
      return printed.contains(absl::StrCat(command, " ", document));
    });
  };
  std::set<std::string> documents;
  for (const auto& [command, schema] : schemas.items()) {
    if (command.front() < 'a') continue;  // a document
    // An event of each kind is not necessary for each command, but one event is.
    for (const Json& one : schema.at("anyOf")) {
      const std::set<std::string> any = DocumentsOf({{"anyOf", {one}}}, schemas);
      EXPECT_TRUE(is_printed(command, any) || std::ranges::includes(NotPrinted(), any))
          << command << " " << one;
    }
    documents.merge(DocumentsOf(schema, schemas));
  }
  for (const std::string& line : printed) documents.erase(line.substr(line.find(' ') + 1));
  EXPECT_EQ(documents, NotPrinted());
}

TEST(PublishedSchemas, AnswersOfRestFitThem) {
  const TempFolder folder;
  const std::string data = folder / "data";
  const Finished run =
      DlSubmit({"run", WriteJob(folder, "job", MakeSample(folder, {})), "--master", "local[1]",
                "--set", "training.statistics.every_rounds=1", "--data-dir", data, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const auto master = Spawner::Real().Start(
      {.argv = {Binary("dl-submit"), "master", "--port", "0", "--http", "0", "--data-dir", data},
       .out = ChildOutput::Pipe(),
       .err = ChildOutput::Discard()});
  DL_ASSERT_OK(master);
  const auto line = (*master)->ReadLine(kTimeout);
  DL_ASSERT_OK(line);
  const std::string page = Json::parse(*line).value("page", "");
  Json rows = Json::array({Json::array()});
  for (int i = 0; i < 12 * 12; ++i) rows[0].push_back(i);
  const auto check =
      Spawner::Real().Start({.argv = {"/usr/bin/python3", "-B",
                                      std::string(DL_SOURCE_ROOT) + "/tests/schemas/check_rest.py",
                                      page.substr(0, page.find("/login")), data + "/token",
                                      run.result().value("job", ""), JsonText(rows)},
                             .out = ChildOutput::Pipe()});
  DL_ASSERT_OK(check);
  EXPECT_EQ((*check)->ReadAll(kTimeout, 1 << 20).value_or(""), "ok\n");
  DL_EXPECT_OK((*check)->Wait(kTimeout));
}

}  // namespace
}  // namespace dl::test
