#include "dataset/data_agreement.h"

#include "gtest/gtest.h"
#include "job/job_spec.h"
#include "tests/support/status_matchers.h"

namespace dl::dataset {
namespace {

using test::IsError;

Manifest Standardized(double mean) {
  Manifest manifest{.schema = {.feature_shape = {1}, .labels = TargetLabels{.size = 1}}};
  manifest.normalizer = {.kind = NormalizerKind::kStandardize, .first = {mean}, .second = {2}};
  return manifest;
}

job::JobSpec SpecWith(job::NormalizerChoice features) {
  job::JobSpec spec;
  spec.data.normalizer = features;
  return spec;
}

TEST(DataAgreement, NormalizersOfTheJobMustBeThoseOfTheImport) {
  const Manifest training = Standardized(5);
  DL_EXPECT_OK(CheckDatasets(SpecWith(job::NormalizerChoice::kStandardize), training, nullptr));
  EXPECT_THAT(CheckDatasets(SpecWith(job::NormalizerChoice::kNone), training, nullptr),
              IsError(absl::StatusCode::kInvalidArgument,
                      "imported with data.normalizer \"standardize\", but the job has "
                      "\"none\""));
  job::JobSpec scaled = SpecWith(job::NormalizerChoice::kStandardize);
  scaled.training.target_normalizer = job::NormalizerChoice::kStandardize;
  EXPECT_THAT(CheckDatasets(scaled, training, nullptr),
              IsError(absl::StatusCode::kInvalidArgument, "training.target_normalizer \"none\""));
}

TEST(DataAgreement, TestSetMustHaveTheNormalizerAndColumnsOfTheTrainingSet) {
  const job::JobSpec spec = SpecWith(job::NormalizerChoice::kStandardize);
  const Manifest training = Standardized(5);
  DL_EXPECT_OK(CheckDatasets(spec, training, &training));
  const Manifest shifted = Standardized(6);
  EXPECT_THAT(
      CheckDatasets(spec, training, &shifted),
      IsError(absl::StatusCode::kInvalidArgument, "was not imported with this training set"));
  Manifest of_words = training;
  of_words.schema.features = FloatFeatures{.columns = {{.name = "word"}}};
  EXPECT_THAT(CheckDatasets(spec, training, &of_words),
              IsError(absl::StatusCode::kInvalidArgument, "data.test"));
}

}  // namespace
}  // namespace dl::dataset
