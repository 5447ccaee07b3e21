#include "job/job_spec.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/document_version.h"
#include "base/json.h"
#include "job/validate.h"
#include "nn/conf/members.h"
#include "nn/conf/model_json.h"
#include "nn/conf/segments.h"

namespace dl::job {

template <typename Self, typename Visit>
void DataConfig::Fields(Self& self, Visit&& visit) {
  visit(nn::Field{.key = "normalizer",
                  .meaning = "Normalization of features, fitted on the training set at import and "
                             "applied to both sets"},
        self.normalizer);
  visit(nn::Field{.key = "augmentation",
                  .meaning = "Random changes of a training image at each use, in this order. "
                             "Evaluations use unchanged images"},
        self.augmentation);
  visit(nn::Field{.key = "split",
                  .meaning = "Uses a part of the training files as test set, instead of "
                             "`data.test`; null = no split"},
        self.split);
}

bool IsStateful(const JobSpec& spec) { return nn::IsStateful(spec.model); }

Json ToJson(const JobSpec& spec) {
  Json model = nn::ToJson(spec.model);
  model.erase("seed");
  Json data = nn::ToJson<DataConfig>(spec.data);
  data["train"] = ToJson(spec.data.train);
  data["test"] = spec.data.test ? ToJson(*spec.data.test) : Json();
  return {{"format", kJobDocument.version()},
          {"name", spec.name},
          {"seed", spec.seed},
          {"model", std::move(model)},
          {"initial_weights", ToJson(spec.initial_weights)},
          {"training", ToJson(spec.training)},
          {"data", std::move(data)}};
}

namespace {

DataConfig DataFromJson(const Json& json, const std::string& path, nn::Mistakes& mistakes) {
  DataConfig out;
  JsonObjectReader reader(json, path);
  reader.Require("train");
  if (const Json* train = reader.Child("train")) {
    out.train = DatasetFromJson(*train, reader.PathOf("train"), mistakes);
  }
  if (const Json* test = reader.Child("test"); test != nullptr && !test->is_null()) {
    out.test = DatasetFromJson(*test, reader.PathOf("test"), mistakes);
  }
  nn::ReadFields(reader, nn::MembersOf(out));
  (void)reader.Finish();
  for (const std::string& line : reader.errors()) mistakes.AddLine(line);
  return out;
}

}  // namespace

std::vector<nn::KeyRow> DataKeys() {
  std::vector<nn::KeyRow> rows;
  nn::AppendBelow("data.", nn::RowsOf(nn::MembersOf(DataConfig())), rows);
  const auto add_dataset = [&](nn::KeyRow object) {
    nn::AppendBelow("", DatasetKeys(std::move(object)), rows);
  };
  add_dataset({.path = "data.train",
               .type = nn::KeyType::kObject,
               .standard = "",
               .meaning = "Training set"});
  add_dataset({.path = "data.test",
               .type = nn::KeyType::kObject,
               .standard = "null",
               .meaning = "Test set; null = none"});
  return rows;
}

StatusOr<CurrentDocument> CurrentJob(const Json& json) {
  DL_ASSIGN_OR_RETURN(CurrentDocument document, UpgradeToCurrent(kJobDocument, json, ""));
  DL_RETURN_IF_ERROR(document.UpgradeMember(nn::kModelDocument, "model"));
  return document;
}

StatusOr<JobSpec> JobFromJson(const Json& json) {
  DL_ASSIGN_OR_RETURN(const CurrentDocument document, CurrentJob(json));
  JsonObjectReader reader = document.Reader();
  if (!json.is_object()) return reader.Finish();
  JobSpec spec;
  nn::Mistakes mistakes;
  reader.Require("model");
  reader.Require("data");

  // A part's values are checked only if the part was read without errors. So one run shows all
  // mistakes, without errors that only follow from other errors.
  bool model_is_read = false;
  if (const Json* model = reader.Child("model")) {
    StatusOr<nn::ModelConfig> read = nn::ModelFromJson(*model, "model");
    model_is_read = read.ok();
    if (model_is_read) {
      spec.model = *std::move(read);
    } else {
      const std::vector<std::string> lines =
          absl::StrSplit(std::string(read.status().message()), '\n');
      for (const std::string& line : lines) mistakes.AddLine(line);
    }
  }
  spec.name = spec.model.name;
  spec.seed = spec.model.seed;
  reader.String("name", spec.name);
  reader.U64("seed", spec.seed);
  if (const Json* model = reader.Child("model");
      model_is_read && model->contains("seed") && spec.model.seed != spec.seed) {
    mistakes.AddLine(
        "model.seed: differs from seed, which is the one that counts. Leave model.seed out");
  }
  spec.model.seed = spec.seed;
  const auto read_part = [&](std::string_view key, auto read, auto check) {
    const Json* part = reader.Child(key);
    const size_t before = mistakes.size();
    if (part != nullptr) read(*part);
    const bool readable = mistakes.size() == before;
    if (readable && part != nullptr) check();
    return readable && part != nullptr;
  };
  const size_t errors_before = reader.errors().size();
  ReadValue(reader, "initial_weights", spec.initial_weights);
  if (reader.errors().size() == errors_before)
    CheckInitialWeights(spec.initial_weights, model_is_read ? &spec.model : nullptr, mistakes);
  const bool training_is_read = read_part(
      "training",
      [&](const Json& part) { spec.training = TrainingFromJson(part, "training", mistakes); },
      [&] { CheckTraining(spec.training, mistakes); });
  const bool data_is_read = read_part(
      "data", [&](const Json& part) { spec.data = DataFromJson(part, "data", mistakes); },
      [&] { CheckData(spec.data, mistakes); });
  (void)reader.Finish();
  const bool top_is_read = reader.errors().empty();
  for (const std::string& line : reader.errors()) mistakes.AddLine(line);
  if (top_is_read && model_is_read) CheckJobName(spec.name, mistakes);
  if (data_is_read && (training_is_read || !reader.Has("training")))
    CheckTogether(spec, model_is_read, mistakes);
  DL_RETURN_IF_ERROR(document.Explain(mistakes.ToStatus()));
  return spec;
}

StatusOr<JobSpec> JobFromText(std::string_view text, std::string_view source) {
  DL_ASSIGN_OR_RETURN(Json json, ParseJson(text, source));
  return JobFromJson(json);
}

}  // namespace dl::job
