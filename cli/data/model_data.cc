#include "cli/data/model_data.h"

#include <ostream>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "cli/data/data_file.h"
#include "cli/data/dataset_document.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_source.h"
#include "nn/conf/model_outputs.h"

namespace dl::cli {
namespace {

StatusOr<ModelData> BareFile(const ModelDataOptions& options, Context& context) {
  const bool is_folder = IsFolder(options.path);
  DescribedFile described;
  if (is_folder) {
    auto document = DescribeImageFolder(options.path, options.trained->model.input().Shape());
    if (!document.ok()) return AsDataError(document.status());
    described.document = *std::move(document);
  } else {
    DL_ASSIGN_OR_RETURN(const dataset::TableHints hints, options.table->Hints());
    auto file = DescribeDataFile(
        options.path,
        {.hints = hints, .hint_flag = options.table->FirstGiven(), .known = options.training});
    if (!file.ok()) return AsDataError(file.status());
    described = *std::move(file);
  }
  const auto* data = std::get_if<job::ManifestReference>(&options.trained->data.train);
  const bool labelled = data == nullptr || data->summary.HasLabels();
  const nn::LabelForm form = LabelFormOf(OutputsOf(options.trained->model));
  Json& document = described.document;
  if (!labelled) {
    document["label_type"] = "none";
    document.erase("labels");
    document.erase("label_column");
  } else if (!is_folder && form.kind != nn::LabelForm::Kind::kNone) {
    document["label_type"] = form.kind == nn::LabelForm::Kind::kClass           ? "class"
                             : form.kind == nn::LabelForm::Kind::kClassSequence ? "class_sequence"
                                                                                : "number";
  }
  if (options.tell) ReportSource(described, options.path, context.err);
  DL_ASSIGN_OR_RETURN(DatasetDocument datasets, ReadDatasetDocument(document, options.path));
  return ModelData{.dataset = std::move(datasets.train),
                   .part = {},
                   .has_labels = described.has_labels || !labelled};
}

}  // namespace

StatusOr<ModelData> ReadModelData(const ModelDataOptions& options, Context& context) {
  if (IsDataFile(options.path)) return BareFile(options, context);
  if (const std::string flag = options.table->FirstGiven(); !flag.empty()) {
    return UsageError({.message = absl::StrCat(flag, " is for a bare table"),
                       .where = flag,
                       .remedy = "Set the key in the document that --data names"});
  }
  DL_ASSIGN_OR_RETURN(Json document, ReadJobDocument({JobSource::Kind::kFile, options.path, {}},
                                                     Spawner::Real(), context.err));
  DL_ASSIGN_OR_RETURN(DatasetDocument datasets, ReadDatasetDocument(document, options.path));
  ModelData data{.dataset = datasets.test ? *datasets.test : datasets.train, .part = {}};
  if (datasets.split) data.part = {.split = *datasets.split, .part = dataset::Part::kTest};
  return data;
}

}  // namespace dl::cli
