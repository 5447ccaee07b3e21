#include "cli/model_data.h"

#include <ostream>

#include "base/json.h"
#include "cli/data_file.h"
#include "cli/dataset_document.h"
#include "cli/exit_code.h"
#include "cli/job_source.h"
#include "nn/conf/model_outputs.h"

namespace dl::cli {
namespace {

// Empty without a header.
std::vector<std::string> ColumnNamesOf(const dataset::Schema& schema) {
  if (schema.columns.empty() || schema.feature_names.empty()) return schema.feature_names;
  std::vector<std::string> names;
  for (const dataset::FeatureColumn& column : schema.columns) names.push_back(column.name);
  return names;
}

StatusOr<ModelData> BareFile(const ModelDataOptions& options, Context& context) {
  const bool folder = IsFolder(options.path);
  const auto* data = std::get_if<job::ManifestReference>(&options.trained->data.train);
  const bool labelled = data == nullptr || data->summary.HasLabels();
  auto document = folder
                      ? DescribeImageFolder(options.path, options.trained->model.input().Shape())
                      : DescribeDataFile(options.path, labelled ? ColumnNamesOf(*options.training)
                                                                : std::vector<std::string>());
  if (!document.ok()) return AsDataError(document.status());
  const nn::LabelForm form = LabelFormOf(OutputsOf(options.trained->model));
  if (!labelled) {
    (*document)["label_type"] = "none";
    document->erase("labels");
  } else if (!folder && form.kind != nn::LabelForm::Kind::kNone) {
    (*document)["label_type"] = form.kind == nn::LabelForm::Kind::kClass ? "class"
                                : form.kind == nn::LabelForm::Kind::kClassSequence
                                    ? "class_sequence"
                                    : "number";
  }
  if (options.tell) context.err << "read as " << JsonText(*document) << std::endl;
  DL_ASSIGN_OR_RETURN(DatasetDocument datasets, ReadDatasetDocument(*document, options.path));
  return ModelData{.dataset = std::move(datasets.train), .part = {}};
}

}  // namespace

StatusOr<ModelData> ReadModelData(const ModelDataOptions& options, Context& context) {
  if (IsDataFile(options.path)) return BareFile(options, context);
  DL_ASSIGN_OR_RETURN(Json document, ReadJobDocument({JobSource::Kind::kFile, options.path, {}},
                                                     Spawner::Real(), context.err));
  DL_ASSIGN_OR_RETURN(DatasetDocument datasets, ReadDatasetDocument(document, options.path));
  ModelData data{.dataset = datasets.test ? *datasets.test : datasets.train, .part = {}};
  if (datasets.split) data.part = {.split = *datasets.split, .part = dataset::Part::kTest};
  return data;
}

}  // namespace dl::cli
