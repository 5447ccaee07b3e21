#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "dataset/block_cutting.h"
#include "dataset/data_agreement.h"
#include "dataset/embedding_indices.h"
#include "dataset/job_plan.h"
#include "dataset/manifest.h"
#include "dataset/readers/source.h"
#include "dataset/unit_changes.h"
#include "job/target_scaling.h"
#include "launch/import/balanced_classes.h"
#include "launch/import/block_upload.h"
#include "launch/import/known_manifest.h"
#include "launch/import/remembered_import.h"
#include "launch/import/safetensors_file.h"
#include "launch/import/weights_import.h"
#include "launch/submission.h"
#include "rpc/messages.h"

namespace dl::launch {
namespace {

// Returns the first file that a source names, for messages.
std::string FirstFile(const job::DatasetSpec& source) {
  for (const job::Files& files : job::FilesOf(source)) {
    if (!files.names.empty()) return files.names.front();
  }
  return "";
}

// Returns an earlier import of the same source, if the master still has all of its blocks.
StatusOr<std::optional<RememberedImport>> EarlierImport(const std::string& path,
                                                        rpc::ClientService& client) {
  if (path.empty()) return std::nullopt;
  std::optional<RememberedImport> earlier = ReadRememberedImport(path);
  if (!earlier) return std::nullopt;
  rpc::MissingBlocksRequest question;
  for (const dataset::BlockInfo& block : earlier->manifest.blocks)
    question.sha256.push_back(block.sha256);
  DL_ASSIGN_OR_RETURN(rpc::MissingBlocksReply answer,
                      client.MissingBlocks(question, limits::kBulkDeadline));
  if (!answer.missing.empty()) return std::nullopt;
  return earlier;
}

void Warn(const std::string& text, const ImportOptions& options) {
  if (options.on_warning) {
    options.on_warning(text);
  } else if (options.progress) {
    options.progress("warning: " + text);
  }
}

void Report(const RememberedImport& import, const std::string& file, const ImportOptions& options) {
  for (const std::string& warning : import.warnings)
    Warn(absl::StrCat(file, ": ", warning), options);
  if (!import.unknown.empty() && options.on_unknown) options.on_unknown(import.unknown);
}

// Checks the steps of labels. Errors have the place of the source.
Status CheckSteps(const RememberedImport& import, const ImportOptions& options) {
  if (options.model == nullptr) return absl::OkStatus();
  return CheckSequenceSteps(import.sequence_steps, *options.model);
}

StatusOr<RememberedImport> ImportSource(const job::DatasetSpec& source,
                                        const dataset::WantedNormalizers& kinds,
                                        const dataset::Manifest* training,
                                        const ImportOptions& options, rpc::ClientService& client) {
  DL_RETURN_IF_ERROR(CheckStop(options));
  dataset::CutOptions cut{.normalizer = kinds.features,
                          .target_normalizer = kinds.targets,
                          .order = options.order,
                          .memory_bytes = options.memory_bytes};
  // A quarter of the memory for the rows, because a growing column may need a second quarter.
  dataset::ReadOptions reading{
      .memory = {.bytes = options.memory_bytes / 4, .folder = options.spill_dir},
      .part = options.part,
      .may_shift = kinds.features != dataset::NormalizerKind::kNone,
      .target_normalizer = &kinds.targets,
      .may_go_on = [&] { return CheckStop(options); }};
  std::vector<dataset::UnknownCategories> unknown;
  reading.unknown = &unknown;
  if (training != nullptr) {
    cut.fitted = {.features = training->normalizer, .targets = training->target_normalizer};
    cut.order = dataset::CutOrder::kSource;
    reading.training = &training->schema;
  }
  DL_ASSIGN_OR_RETURN(const std::string fingerprint,
                      dataset::SourceFingerprint(source, cut, reading));
  const std::string remembered =
      options.cache_dir.empty() ? "" : absl::StrCat(options.cache_dir, "/", fingerprint, ".json");
  DL_ASSIGN_OR_RETURN(std::optional<RememberedImport> earlier, EarlierImport(remembered, client));
  if (earlier) {
    Report(*earlier, FirstFile(source), options);
    DL_RETURN_IF_ERROR(CheckSteps(*earlier, options));
    return *std::move(earlier);
  }

  if (options.progress) options.progress(absl::StrCat("importing ", FirstFile(source)));
  DL_ASSIGN_OR_RETURN(dataset::ExampleTable table, dataset::ReadSource(source, reading));
  DL_ASSIGN_OR_RETURN(const std::string read, dataset::SourceFingerprint(source, cut, reading));
  if (read != fingerprint) {
    return InvalidArgument({.message = "a file was changed while it was read",
                            .where = FirstFile(source),
                            .remedy = "Import it again while no program writes to it"});
  }
  DL_RETURN_IF_ERROR(CheckStop(options));
  if (training != nullptr) {
    DL_ASSIGN_OR_RETURN(
        std::vector<std::string> changes,
        dataset::FindUnitChanges(table, training->normalizer, training->target_normalizer));
    std::ranges::move(changes, std::back_inserter(table.warnings));
  }
  BlockUpload sink(client, [&] { return CheckStop(options); });
  RememberedImport import{.warnings = table.warnings,
                          .unknown = std::move(unknown),
                          .sequence_steps = StepsOfLabels(table)};
  Report(import, FirstFile(source), options);
  DL_RETURN_IF_ERROR(CheckSteps(import, options));
  dataset::ExampleSampler sampler;
  cut.sampler = &sampler;
  DL_ASSIGN_OR_RETURN(import.manifest, dataset::CutBlocks(table, cut, sink));
  DL_RETURN_IF_ERROR(sink.Flush());
  import.sample = sampler.Sample();
  if (!remembered.empty()) {
    DL_RETURN_IF_ERROR(RememberImport(remembered, import));
    DL_RETURN_IF_ERROR(RememberManifest(options.cache_dir, import.manifest, fingerprint));
  }
  if (options.progress) {
    const int64_t examples = import.manifest.examples;
    const size_t blocks = import.manifest.blocks.size();
    options.progress(absl::StrCat("imported ", examples, examples == 1 ? " example" : " examples",
                                  " in ", blocks, blocks == 1 ? " block" : " blocks"));
  }
  return import;
}

// A dataset that was imported now or before.
struct Imported {
  std::string manifest;  // canonical JSON
  std::optional<dataset::ExampleSample> sample;
};

// Warns if examples of the test set are in the training set.
void WarnOfOverlap(const Imported& test, const Imported& training, const std::string& file,
                   const ImportOptions& options) {
  if (!test.sample || !training.sample) return;
  const bool is_split = options.part.has_value();
  if (!is_split && dataset::HaveSameExamples(*test.sample, *training.sample)) {
    Warn(absl::StrCat(file,
                      ": the test set is the training set, so the accuracy says nothing about new "
                      "examples; --test-fraction leaves a part of the file for tests"),
         options);
    return;
  }
  const auto overlap = is_split ? dataset::FindRepeats(*test.sample, *training.sample)
                                : dataset::FindOverlap(*test.sample, *training.sample);
  if (!overlap) return;
  Warn(absl::StrCat(file, ": ", overlap->found, " of ", overlap->compared,
                    " compared examples of the test set are in the training set",
                    is_split ? " too, because the file repeats examples. Remove the repetitions "
                               "before the split: the accuracy says little about new examples"
                             : ", so the accuracy says little about new examples"),
       options);
}

// Returns an error if a job that reads a stream has a shuffled dataset.
Status CheckOrders(const job::JobSpec& spec, const ImportedJob& imported) {
  if (spec.training.shuffle == job::ShuffleMode::kStream) {
    DL_ASSIGN_OR_RETURN(const dataset::Manifest train,
                        dataset::ManifestFromJson(imported.train_manifest, "data.train"));
    DL_RETURN_IF_ERROR(dataset::CheckStreamOrder(train, "data.train"));
  }
  if (!job::IsStateful(spec) || imported.test_manifest.empty()) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(const dataset::Manifest test,
                      dataset::ManifestFromJson(imported.test_manifest, "data.test"));
  return dataset::CheckStreamOrder(test, "data.test");
}

// Adds the place in the job spec to an error of the source.
Status At(std::string_view place, const Status& status) {
  if (absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
      absl::IsResourceExhausted(status) || absl::IsCancelled(status)) {
    return status;
  }
  std::string remedy = ErrorRemedy(status);
  if (remedy.empty() && absl::IsNotFound(status))
    remedy =
        "Correct the path; a relative one begins at its spec's folder, or where a job program runs";
  const std::string where = ErrorWhere(status);
  Status placed = MakeError(
      status.code(), {.message = std::string(status.message()),
                      .where = absl::StrCat(std::string(place), where.empty() ? "" : ", ", where),
                      .remedy = std::move(remedy)});
  // Keeps other information of the error, such as its errno.
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& value) {
    if (!placed.GetPayload(url)) placed.SetPayload(url, value);
  });
  return placed;
}

// Checks that a dataset that was imported before agrees with the job.
Status CheckAgrees(const dataset::Manifest& known, const dataset::WantedNormalizers& wanted,
                   const dataset::Manifest* training) {
  DL_RETURN_IF_ERROR(dataset::CheckNormalizers(known, wanted));
  return training == nullptr ? absl::OkStatus() : dataset::CheckImportedWith(known, *training);
}

// Does what ImportDataset() describes. The result has no sample if the dataset is a reference.
StatusOr<Imported> ImportOrFind(const job::DatasetSpec& dataset,
                                const ImportNormalizers& normalizers,
                                const std::string& training_manifest, const ImportOptions& options,
                                rpc::ClientService& client) {
  DL_ASSIGN_OR_RETURN(const dataset::WantedNormalizers kinds,
                      dataset::NormalizersFrom(normalizers.features, normalizers.targets,
                                               normalizers.scaled_targets));
  std::optional<dataset::Manifest> training;
  if (!training_manifest.empty()) {
    DL_ASSIGN_OR_RETURN(training,
                        dataset::ManifestFromJson(training_manifest, "training manifest"));
  }
  if (const auto* reference = std::get_if<job::ManifestReference>(&dataset)) {
    DL_ASSIGN_OR_RETURN(const std::string text, KnownManifest(*reference, client));
    DL_ASSIGN_OR_RETURN(const dataset::Manifest known, dataset::ManifestFromJson(text, "manifest"));
    DL_RETURN_IF_ERROR(CheckAgrees(known, kinds, training ? &*training : nullptr));
    return Imported{.manifest = text, .sample = {}};
  }
  DL_ASSIGN_OR_RETURN(
      RememberedImport import,
      ImportSource(dataset, kinds, training ? &*training : nullptr, options, client));
  return Imported{.manifest = dataset::ManifestToJson(import.manifest),
                  .sample = std::move(import.sample)};
}

}  // namespace

Status CheckStop(const ImportOptions& options) {
  if (options.stop == nullptr || !*options.stop) return absl::OkStatus();
  return Cancelled({.message = "interrupted during the import of data",
                    .where = "import",
                    .remedy = "Start it again; blocks on the master are not sent again"});
}

ImportNormalizers NormalizersOf(const job::JobSpec& spec) {
  return {.features = spec.data.normalizer,
          .targets = spec.training.target_normalizer,
          .scaled_targets = job::ScaledTargets(spec.model)};
}

StatusOr<std::string> ImportDataset(const job::DatasetSpec& dataset,
                                    const ImportNormalizers& normalizers,
                                    const std::string& training_manifest,
                                    const ImportOptions& options, rpc::ClientService& client) {
  DL_ASSIGN_OR_RETURN(Imported imported,
                      ImportOrFind(dataset, normalizers, training_manifest, options, client));
  if (training_manifest.empty() || options.cache_dir.empty() || !imported.sample)
    return std::move(imported.manifest);
  DL_ASSIGN_OR_RETURN(const dataset::Manifest training,
                      dataset::ManifestFromJson(training_manifest, "training manifest"));
  DL_ASSIGN_OR_RETURN(const dataset::Manifest test,
                      dataset::ManifestFromJson(imported.manifest, "manifest"));
  if (test.content_fingerprint == training.content_fingerprint) return std::move(imported.manifest);
  WarnOfOverlap(imported,
                {.manifest = training_manifest,
                 .sample = SampleOfManifest(options.cache_dir, training_manifest)},
                FirstFile(dataset), options);
  return std::move(imported.manifest);
}

Status CheckFiles(const job::JobSpec& spec) {
  const auto check = [](std::string_view place, const job::DatasetSpec& source) -> Status {
    if (std::holds_alternative<job::ManifestReference>(source)) return absl::OkStatus();
    // The fingerprint covers the sizes and times of all files.
    const auto found = dataset::SourceFingerprint(source, {});
    return found.ok() ? absl::OkStatus() : At(place, found.status());
  };
  if (const auto* file = std::get_if<job::SafetensorsWeights>(&spec.initial_weights)) {
    const auto opened = SafetensorsFile::Open(file->path);
    if (!opened.ok()) return At("initial_weights", opened.status());
  }
  DL_RETURN_IF_ERROR(check("data.train", spec.data.train));
  return spec.data.test ? check("data.test", *spec.data.test) : absl::OkStatus();
}

StatusOr<ImportedJob> ImportJob(const job::JobSpec& spec, const ImportOptions& options,
                                rpc::ClientService& client) {
  ImportedJob imported{.spec = spec};
  if (const auto* file = std::get_if<job::SafetensorsWeights>(&spec.initial_weights)) {
    auto weights = ImportWeights(*file, spec.model, options, client);
    if (!weights.ok()) return At("initial_weights", weights.status());
    imported.spec.initial_weights = *std::move(weights);
  }
  // A split becomes two sources with the same files, and so two manifests.
  ImportOptions of_train = options, of_test = options;
  of_train.model = of_test.model = &spec.model;
  of_train.order = dataset::TrainingCutOrder(spec.training.shuffle);
  std::optional<job::DatasetSpec> test = spec.data.test;
  if (spec.data.split) {
    of_train.part = {.split = *spec.data.split, .part = dataset::Part::kTraining};
    of_test.part = {.split = *spec.data.split, .part = dataset::Part::kTest};
    test = spec.data.train;
    imported.spec.data.split.reset();
  }
  const ImportNormalizers normalizers = NormalizersOf(spec);
  const auto training = ImportOrFind(spec.data.train, normalizers, "", of_train, client);
  if (!training.ok()) return At("data.train", training.status());
  imported.train_manifest = training->manifest;
  DL_ASSIGN_OR_RETURN(imported.spec.data.train, ReferenceTo(imported.train_manifest, "data.train"));
  DL_RETURN_IF_ERROR(BalanceClasses(imported.train_manifest, imported.spec.model));
  DL_ASSIGN_OR_RETURN(const dataset::Manifest train,
                      dataset::ManifestFromJson(imported.train_manifest, "data.train"));
  DL_RETURN_IF_ERROR(dataset::CheckEmbeddingIndices(train.schema, imported.spec.model));
  DL_RETURN_IF_ERROR(dataset::CheckIndicesAreNotNormalized(train, imported.spec.model));
  if (test) {
    const auto testing = ImportOrFind(*test, normalizers, imported.train_manifest, of_test, client);
    if (!testing.ok()) return At(spec.data.split ? "data.split" : "data.test", testing.status());
    imported.test_manifest = testing->manifest;
    WarnOfOverlap(*testing, *training, FirstFile(*test), of_test);
    DL_ASSIGN_OR_RETURN(imported.spec.data.test, ReferenceTo(imported.test_manifest, "data.test"));
  }
  DL_RETURN_IF_ERROR(CheckOrders(spec, imported));
  return imported;
}

}  // namespace dl::launch
