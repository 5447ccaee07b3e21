#include "cli/data/dataset_document.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/document_version.h"
#include "base/json.h"
#include "base/suggest.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_source.h"
#include "cli/output/json_fields.h"
#include "dataset/job_plan.h"
#include "nn/conf/members.h"

namespace dl::cli {

StatusOr<job::NormalizerChoice> ParseNormalizer(const std::string& name) {
  std::vector<std::string> names;
  for (auto choice : {job::NormalizerChoice::kNone, job::NormalizerChoice::kStandardize,
                      job::NormalizerChoice::kMinMax}) {
    names.emplace_back(job::WordOf(choice));
    if (names.back() == name) return choice;
  }
  return InvalidArgument(
      {.message = absl::StrCat("\"", name, "\" is not a normalizer", DidYouMean(name, names)),
       .remedy = "Use none, standardize or min_max"});
}

namespace {

// Returns an error if the JSON is data itself, or the manifest of an imported dataset, and does not
// describe a dataset.
Status CheckDescribes(const Json& json, const std::string& source) {
  const auto has = [&](const char* key) { return Member(json, key) != nullptr; };
  if (json.is_object() && has("schema") && has("blocks")) {
    return AsDataError(InvalidArgument(
        {.message = "is the manifest of an imported dataset, not a document that describes one",
         .where = source,
         .remedy = "Give a .json file with {\"format\": \"manifest\", \"sha256\": ...} and the "
                   "hash that import prints"}));
  }
  const bool is_document =
      json.is_object() &&
      (has("format") || has("data") || has("model") || has("path") || has("paths") ||
       std::ranges::none_of(json, [](const Json& value) { return value.is_structured(); }));
  if (is_document) return absl::OkStatus();
  return AsDataError(InvalidArgument(
      {.message = "holds values in JSON, which is not read as data",
       .where = source,
       .remedy = "Convert it to CSV, for example with pandas.read_json(...).to_csv(..., "
                 "index=False). A .json file describes a dataset: {\"format\": \"csv\", "
                 "\"path\": ...}"}));
}

}  // namespace

StatusOr<Json> ReadDataDocument(const std::string& path, std::ostream& err) {
  StatusOr<Json> document =
      ReadJobDocument({JobSource::Kind::kFile, path, {}}, Spawner::Real(), err);
  if (absl::IsNotFound(document.status())) return AsDataError(document.status());
  return document;
}

StatusOr<DatasetDocument> ReadDatasetDocument(const Json& json, const std::string& source) {
  DL_RETURN_IF_ERROR(CheckDescribes(json, source));
  std::optional<CurrentDocument> job_spec;  // a dataset without a job has no version
  if (Member(json, "data") != nullptr) {
    StatusOr<CurrentDocument> current = job::CurrentJob(json);
    if (!current.ok()) return WithContext(current.status(), source);
    job_spec = *std::move(current);
  }
  const Json* data = job_spec ? Member(job_spec->json(), "data") : nullptr;
  nn::Mistakes mistakes;
  DatasetDocument document;
  const auto read = [&](const Json& dataset, const std::string& path) {
    job::DatasetSpec spec = job::DatasetFromJson(dataset, path, mistakes);
    if (mistakes.empty()) job::CheckDataset(spec, path, mistakes);
    return spec;
  };
  if (data == nullptr) {
    document.train = read(json, "");
  } else {
    const Json* train = Member(*data, "train");
    const Json* test = Member(*data, "test");
    if (train == nullptr)
      return InvalidArgument({.message = "data.train is missing", .where = source});
    document.train = read(*train, "data.train");
    if (test != nullptr && !test->is_null()) {
      document.test = read(*test, "data.test");
      if (mistakes.empty()) job::CheckTestSet(document.train, *document.test, mistakes);
    }
    JsonObjectReader reader(*data, "data");
    nn::ReadValue(reader, "split", document.split);
    for (const std::string& line : reader.errors()) mistakes.AddLine(line);
    if (document.split && mistakes.empty()) job::CheckSplit(*document.split, mistakes);
    if (const std::string name = TextAt(*data, "normalizer"); !name.empty()) {
      DL_ASSIGN_OR_RETURN(document.normalizer, ParseNormalizer(name));
    }
    if (const Json* training = Member(job_spec->json(), "training")) {
      const std::string name = TextAt(*training, "target_normalizer");
      if (!name.empty()) {
        DL_ASSIGN_OR_RETURN(document.target_normalizer, ParseNormalizer(name));
      }
    }
  }
  const Json* training = job_spec ? Member(job_spec->json(), "training") : nullptr;
  if (training != nullptr && TextAt(*training, "shuffle") == job::WordOf(job::ShuffleMode::kStream))
    document.order = dataset::TrainingCutOrder(job::ShuffleMode::kStream);
  if (Status status = mistakes.ToStatus(); !status.ok()) {
    status = InvalidArgument({.message = std::string(status.message()),
                              .where = source,
                              .remedy = "docs/job-spec.md lists the keys of a dataset"});
    return job_spec ? job_spec->Explain(status) : status;
  }
  return document;
}

}  // namespace dl::cli
