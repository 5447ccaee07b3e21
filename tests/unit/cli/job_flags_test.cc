#include "cli/jobs/job_flags.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
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

// A value out of range is found when the document is read. The error must blame the flag and not
// the file.
TEST(ResolveJob, BadFlagValueIsUsageError) {
  auto spec = Resolve(Written(), {.common_flags = {{"--epochs", "0"}, {"--workers", "2"}}});
  EXPECT_THAT(spec, IsError(absl::StatusCode::kInvalidArgument, "flag --epochs, training.epochs"));
  EXPECT_EQ(ErrorWhere(spec.status()).find("workers"), std::string::npos);
  EXPECT_EQ(ExitCodeFor(spec.status()), kUsage);
  spec = Resolve(Written(), {.sets = {"training.workers=0"}});
  EXPECT_EQ(ErrorWhere(spec.status()), "--set, training.workers");
  EXPECT_EQ(ExitCodeFor(spec.status()), kUsage);
}

TEST(ResolveJob, BadVariableIsConfigurationError) {
  const auto spec = Resolve(Written(), {.environment = {{"DL_EPOCHS", "0"}}});
  EXPECT_EQ(ErrorWhere(spec.status()), "environment DL_EPOCHS, training.epochs");
  EXPECT_EQ(ExitCodeFor(spec.status()), kInvalidConfig);
}

TEST(ResolveJob, MistakeInDocumentNamesDocument) {
  Json written = Written();
  written["training"] = {{"workers", 0}};
  const auto spec = Resolve(written, {.common_flags = {{"--epochs", "3"}}});
  EXPECT_EQ(ErrorWhere(spec.status()), "job.json");
  EXPECT_EQ(ExitCodeFor(spec.status()), kInvalidConfig);
  DL_EXPECT_OK(Resolve(written, {.sets = {"training.workers=2"}}));
}

// A mistake of the document stays the document's mistake, whatever the command line sets.
TEST(ResolveJob, BadDocumentIsNoUsageError) {
  const SettingSources sources = {.common_flags = {{"--epochs", "1"}}};
  for (const char* text : {"[1]", "3", "null", R"({"training": 5})"}) {
    const auto spec = Resolve(Json::parse(text), sources);
    EXPECT_EQ(ErrorWhere(spec.status()), "job.json") << text;
    EXPECT_EQ(ExitCodeFor(spec.status()), kInvalidConfig) << text;
  }
  EXPECT_THAT(Resolve(Json::parse("[1]"), sources),
              IsError(absl::StatusCode::kInvalidArgument, "the document: must be an object"));
  EXPECT_EQ(Resolve(Json::parse("[1]"), sources).status().message().find("missing"),
            std::string::npos);
  Json written = Written();
  written["training"] = {{"workers", 0}};
  const auto both = Resolve(written, {.sets = {"training.epoch=1", "training.batch_size=0"}});
  EXPECT_EQ(ExitCodeFor(both.status()), kInvalidConfig);
  EXPECT_THAT(both, IsError(absl::StatusCode::kInvalidArgument, "workers is 0"));
  EXPECT_THAT(both, IsError(absl::StatusCode::kInvalidArgument,
                            "--set, training.epoch: a job spec has no key"));
  // A new name must not make the flag responsible for mistakes of the model.
  written = Written();
  written["model"]["layers"][0]["units"] = 0;
  const auto renamed = Resolve(written, {.sets = {"model.layers.0.name=last"}});
  EXPECT_EQ(ErrorWhere(renamed.status()), "job.json");
}

TEST(ResolveJob, SettingsCompleteDocument) {
  Json written = Written();
  written["data"]["train"].erase("path");
  DL_EXPECT_OK(Resolve(written, {.sets = {"data.train.path=b.csv"}}));
  const auto spec =
      Resolve(written, {.common_flags = {{"--epochs", "0"}},
                        .sets = {"data.train.path=b.csv", "training.workers=0", "seed=1"}});
  EXPECT_EQ(ErrorWhere(spec.status()), "--set, training.workers; flag --epochs, training.epochs");
  EXPECT_EQ(ExitCodeFor(spec.status()), kUsage);
}

// The document alone determines its version. No setting can.
TEST(ResolveJob, NewerDocumentIsVersionMismatch) {
  Json written = Written();
  written["format"] = 7;
  const auto spec = Resolve(written, {.sets = {"training.epochs=0"}});
  EXPECT_EQ(ExitCodeFor(spec.status()), kVersionMismatch);
  EXPECT_THAT(spec, IsError(absl::StatusCode::kUnimplemented,
                            "job.json: format: this job spec has format 7"));
  written["format"] = "one";
  EXPECT_THAT(Resolve(written, {.sets = {"format=1"}}),
              IsError(absl::StatusCode::kInvalidArgument, "format: must be a whole number"));
}

TEST(ResolveJob, VersionCannotBeSet) {
  DL_EXPECT_OK(
      Resolve(Written(), {.sets = {absl::StrCat("format=", job::kJobDocument.version())}}));
  const auto spec = Resolve(Written(), {.sets = {"format=7"}});
  EXPECT_EQ(ErrorWhere(spec.status()), "--set, format");
  EXPECT_EQ(ExitCodeFor(spec.status()), kUsage);
  EXPECT_THAT(ParseConfigFile(R"({"set":{"model.format":7}})", "c.json"),
              IsError(absl::StatusCode::kInvalidArgument, "set.model.format"));
}

TEST(ResolveJob, UnknownPathIsNamed) {
  const auto spec = Resolve(Written(), {.sets = {"training.epoch=3"}});
  EXPECT_EQ(ErrorWhere(spec.status()), "--set, training.epoch");
}

}  // namespace
}  // namespace dl::cli
