// Checks that datasets fit a job, and each other. Their normalizers, types and classes were fixed
// when they were imported.
#pragma once

#include <vector>

#include "base/status.h"
#include "dataset/manifest.h"
#include "dataset/normalizer.h"
#include "dataset/target_normalizer.h"
#include "job/job_spec.h"
#include "job/normalizer_choice.h"

namespace dl::dataset {

// The kinds of normalizers that a job needs.
struct WantedNormalizers {
  NormalizerKind features = NormalizerKind::kNone;
  TargetNormalizerOptions targets;
};
// Returns the kinds of these choices. `scaled_targets` is as TargetNormalizerOptions::scaled, and
// counts only if targets are normalized.
StatusOr<WantedNormalizers> NormalizersFrom(job::NormalizerChoice features,
                                            job::NormalizerChoice targets,
                                            std::vector<bool> scaled_targets);

// Returns InvalidArgument if the dataset was imported with normalizers of another kind, or if a
// target is scaled that the model's output needs unscaled.
Status CheckNormalizers(const Manifest& known, const WantedNormalizers& wanted);

// Returns InvalidArgument if the test set's normalizers or its schema differ from those of the
// training set, so that it was not imported with this training set.
Status CheckImportedWith(const Manifest& test, const Manifest& training);

// Makes the checks that protect a job from data that it would misread. The training set must pass
// CheckNormalizers, the checks of embedding_indices.h, and for shuffle `stream` CheckStreamOrder
// (job_plan.h). The test set must have the normalizers and the columns of the training set, and
// pass CheckStreamOrder if the model is stateful. `test` is null if there is no test set. Errors
// name the place in the spec, such as "data.test".
Status CheckDatasets(const job::JobSpec& spec, const Manifest& training, const Manifest* test);

}  // namespace dl::dataset
