#include "rpc/remedy.h"

#include <gtest/gtest.h>

#include <set>

#include "base/json.h"
#include "rpc/remedy_text.h"

namespace dl::rpc {
namespace {

constexpr int64_t kLastKind = static_cast<int64_t>(RemedyKind::kImportFirst);

Remedy WithAllArguments(int64_t kind) {
  return {.kind = static_cast<RemedyKind>(kind),
          .job = "lenet-1",
          .round = 3,
          .isa = "avx2",
          .mebibytes = 64};
}

TEST(Remedy, EveryKindHasNameAndSentence) {
  std::set<std::string> names, sentences;
  for (int64_t kind = 1; kind <= kLastKind; ++kind) {
    ASSERT_TRUE(IsRemedyKind(kind)) << kind;
    const Remedy remedy = WithAllArguments(kind);
    const Json json = ToJson(remedy);
    EXPECT_EQ(RemedyFromJson(json), remedy) << json;
    names.insert(json.at("name"));
    const std::string sentence = RemedyText(remedy);
    EXPECT_EQ(sentence.find('{'), std::string::npos) << sentence;
    EXPECT_FALSE(sentence.ends_with('.')) << sentence;
    sentences.insert(sentence);
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(kLastKind));
  EXPECT_EQ(sentences.size(), static_cast<size_t>(kLastKind));
  EXPECT_FALSE(IsRemedyKind(0));
  EXPECT_FALSE(IsRemedyKind(kLastKind + 1)) << "a new kind belongs into this test";
}

TEST(Remedy, ArgumentsWithoutValueAreLeftOut) {
  EXPECT_EQ(ToJson(Remedy{.kind = RemedyKind::kListJobs}), Json({{"name", "list_jobs"}}));
  EXPECT_EQ(RemedyText({}), "");
}

TEST(Remedy, UnknownJsonIsNoRemedy) {
  for (const Json& json : {Json{{"name", "of a newer build"}}, Json{{"name", 3}}, Json::object(),
                           Json("list_jobs"), Json()})
    EXPECT_EQ(RemedyFromJson(json), std::nullopt) << json;
}

TEST(Remedy, ErrorKeepsItInContext) {
  const Remedy remedy{.kind = RemedyKind::kBeginFrom, .job = "lenet-1", .round = 0};
  const Status error =
      AttachRemedy(FailedPrecondition({.message = "m", .where = "lenet-1"}), remedy);
  EXPECT_EQ(RemedyOf(WithContext(error, "resuming")), remedy);
  EXPECT_EQ(RemedyOf(NotFound({.message = "m"})), Remedy{});
  EXPECT_TRUE(AttachRemedy(absl::OkStatus(), remedy).ok());
}

TEST(Remedy, TextOfErrorPrecedesDataInWords) {
  const Remedy remedy{.kind = RemedyKind::kCancelFirst, .job = "lenet-1"};
  EXPECT_EQ(ErrorRemedy(WithRemedyText(AttachRemedy(NotFound({.message = "m"}), remedy))),
            "Cancel the job first: dl-submit cancel lenet-1");
  EXPECT_EQ(ErrorRemedy(WithRemedyText(
                AttachRemedy(NotFound({.message = "m", .remedy = "Do this"}), remedy))),
            "Do this");
}

TEST(Remedy, TextsAreAddedToReportAndItsError) {
  const Json action = ToJson(Remedy{.kind = RemedyKind::kResume, .job = "lenet-1"});
  Json report = {{"message", ""},
                 {"action", action},
                 {"error", {{"message", "m"}, {"remedy", ""}, {"action", action}}}};
  AddRemedyTexts(report);
  EXPECT_EQ(report.at("remedy"), "Continue it with: dl-submit resume lenet-1");
  EXPECT_EQ(report.at("error").at("remedy"), report.at("remedy"));
  Json other = {{"error", {{"remedy", "Do this"}}}};
  AddRemedyTexts(other);
  EXPECT_EQ(other, Json({{"error", {{"remedy", "Do this"}}}}));
}

// An older master sends no remedy as data, and a newer one may send another kind.
TEST(Remedy, UnknownActionAddsNoText) {
  for (const Json& action : {Json{{"name", "of a newer build"}}, Json("list_jobs"), Json()}) {
    const Json sent = {{"message", "m"}, {"action", action}, {"error", Json()}};
    Json shown = sent;
    AddRemedyTexts(shown);
    EXPECT_EQ(shown, sent);
  }
  for (const Json& sent : {Json{{"message", "m"}}, Json::array(), Json("m"), Json()}) {
    Json shown = sent;
    AddRemedyTexts(shown);
    EXPECT_EQ(shown, sent);
  }
}

}  // namespace
}  // namespace dl::rpc
