#include "dataset/data_agreement.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataset/embedding_indices.h"
#include "dataset/job_plan.h"
#include "job/target_scaling.h"

namespace dl::dataset {
namespace {

Status CheckSameKind(NormalizerKind known, NormalizerKind wanted, const std::string& key) {
  if (known == wanted) return absl::OkStatus();
  const std::string was(NormalizerKindName(known));
  return InvalidArgument({.message = absl::StrCat("the dataset was imported with ", key, " \"", was,
                                                  "\", but the job has \"",
                                                  std::string(NormalizerKindName(wanted)), "\""),
                          .remedy = absl::StrCat("Set ", key, " to \"", was,
                                                 "\", or name the files of the dataset instead")});
}

Status CheckScaledTargets(const Normalizer& known, const std::vector<bool>& scaled) {
  for (size_t i = 0; i < std::min(scaled.size(), known.first.size()); ++i) {
    if (scaled[i] || (known.first[i] == 0 && known.second[i] == 1)) continue;
    return InvalidArgument(
        {.message = absl::StrCat("the dataset was imported with target ", i,
                                 " scaled, and the model's output needs it as it is"),
         .remedy = "Name the files of the dataset instead"});
  }
  return absl::OkStatus();
}

Status OtherTestSet() {
  return InvalidArgument(
      {.message = "the test set was not imported with this training set: its normalizer, types "
                  "or classes differ",
       .remedy = "Name its files instead, so that it is imported like the training set"});
}

// Checks that the same value of a feature or target means the same in both sets.
Status CheckSameMeaning(const Manifest& test, const Manifest& training) {
  const bool same = test.normalizer == training.normalizer &&
                    test.target_normalizer == training.target_normalizer &&
                    test.schema.columns() == training.schema.columns() &&
                    test.schema.target_columns() == training.schema.target_columns();
  return same ? absl::OkStatus() : OtherTestSet();
}

Status At(const std::string& where, const Status& status) {
  if (status.ok() || !ErrorWhere(status).empty()) return status;
  return MakeError(
      status.code(),
      {.message = std::string(status.message()), .where = where, .remedy = ErrorRemedy(status)});
}

}  // namespace

StatusOr<WantedNormalizers> NormalizersFrom(job::NormalizerChoice features,
                                            job::NormalizerChoice targets,
                                            std::vector<bool> scaled_targets) {
  WantedNormalizers wanted;
  DL_ASSIGN_OR_RETURN(wanted.features, NormalizerKindFromName(job::WordOf(features)));
  DL_ASSIGN_OR_RETURN(wanted.targets.kind, NormalizerKindFromName(job::WordOf(targets)));
  if (wanted.targets.kind != NormalizerKind::kNone)
    wanted.targets.scaled = std::move(scaled_targets);
  return wanted;
}

Status CheckNormalizers(const Manifest& known, const WantedNormalizers& wanted) {
  DL_RETURN_IF_ERROR(CheckSameKind(known.normalizer.kind, wanted.features, "data.normalizer"));
  DL_RETURN_IF_ERROR(CheckSameKind(known.target_normalizer.kind, wanted.targets.kind,
                                   "training.target_normalizer"));
  return CheckScaledTargets(known.target_normalizer, wanted.targets.scaled);
}

Status CheckImportedWith(const Manifest& test, const Manifest& training) {
  const Status same = CheckSameMeaning(test, training);
  return same.ok() && test.schema != training.schema ? OtherTestSet() : same;
}

Status CheckDatasets(const job::JobSpec& spec, const Manifest& training, const Manifest* test) {
  constexpr char kTrain[] = "data.train", kTest[] = "data.test";
  DL_ASSIGN_OR_RETURN(const WantedNormalizers wanted,
                      NormalizersFrom(spec.data.normalizer, spec.training.target_normalizer,
                                      job::ScaledTargets(spec.model)));
  DL_RETURN_IF_ERROR(At(kTrain, CheckNormalizers(training, wanted)));
  DL_RETURN_IF_ERROR(At(kTrain, CheckEmbeddingIndices(training.schema, spec.model)));
  DL_RETURN_IF_ERROR(At(kTrain, CheckIndicesAreNotNormalized(training, spec.model)));
  if (spec.training.shuffle == job::ShuffleMode::kStream)
    DL_RETURN_IF_ERROR(CheckStreamOrder(training, kTrain));
  if (test == nullptr) return absl::OkStatus();
  DL_RETURN_IF_ERROR(At(kTest, CheckSameMeaning(*test, training)));
  return job::IsStateful(spec) ? CheckStreamOrder(*test, kTest) : absl::OkStatus();
}

}  // namespace dl::dataset
