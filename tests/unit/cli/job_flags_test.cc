#include "cli/job_flags.h"

#include "cli/exit_code.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::cli {
namespace {

using test::IsError;

Json Written() {
  return Json::parse(R"({"model":{"input":{"type":"feed_forward","features":2},
    "layers":[{"type":"output","units":3,"loss":"softmax_cross_entropy"}]},
    "data":{"train":{"format":"csv","path":"a.csv"}}})");
}

StatusOr<job::JobSpec> Resolve(const Json& written, const SettingSources& sources) {
  auto settings = ResolveSettings(sources);
  EXPECT_THAT(settings, test::IsOk());
  return ResolveJob(written, "job.json", *settings);
}

TEST(ResolveJob, SettingsAreApplied) {
  auto spec = Resolve(Written(), {.common_flags = {{"--epochs", "7"}}});
  DL_ASSERT_OK(spec);
  EXPECT_EQ(spec->training.epochs, 7);
}

// A value beyond its range is found when the document is read; the file is not to blame.
TEST(ResolveJob, AValueOfTheLineIsTheLinesMistake) {
  auto spec = Resolve(Written(), {.common_flags = {{"--epochs", "0"}, {"--workers", "2"}}});
  EXPECT_THAT(spec, IsError(absl::StatusCode::kInvalidArgument, "flag --epochs, training.epochs"));
  EXPECT_EQ(ErrorWhere(spec.status()).find("workers"), std::string::npos);
  EXPECT_EQ(ExitCodeFor(spec.status()), kUsage);
  spec = Resolve(Written(), {.sets = {"training.workers=0"}});
  EXPECT_EQ(ErrorWhere(spec.status()), "--set, training.workers");
  EXPECT_EQ(ExitCodeFor(spec.status()), kUsage);
}

TEST(ResolveJob, AVariablesMistakeIsConfig) {
  const auto spec = Resolve(Written(), {.environment = {{"DL_EPOCHS", "0"}}});
  EXPECT_EQ(ErrorWhere(spec.status()), "environment DL_EPOCHS, training.epochs");
  EXPECT_EQ(ExitCodeFor(spec.status()), kInvalidConfig);
}

TEST(ResolveJob, TheDocumentsOwnMistakesNameIt) {
  Json written = Written();
  written["training"] = {{"workers", 0}};
  const auto spec = Resolve(written, {.common_flags = {{"--epochs", "3"}}});
  EXPECT_EQ(ErrorWhere(spec.status()), "job.json");
  EXPECT_EQ(ExitCodeFor(spec.status()), kInvalidConfig);
  DL_EXPECT_OK(Resolve(written, {.sets = {"training.workers=2"}}));
}

TEST(ResolveJob, AnUnknownPathIsNamed) {
  const auto spec = Resolve(Written(), {.sets = {"training.epoch=3"}});
  EXPECT_EQ(ErrorWhere(spec.status()), "--set, training.epoch");
}

}  // namespace
}  // namespace dl::cli
