#include "cli/data/model_data.h"

#include <optional>
#include <ostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "cli/data/data_file.h"
#include "cli/data/dataset_document.h"
#include "cli/exit_code.h"
#include "nn/conf/model_outputs.h"

namespace dl::cli {
namespace {

// Describes a file that is no document.
StatusOr<DescribedFile> Describe(const ModelDataOptions& options, bool may_lack_labels) {
  DL_RETURN_IF_ERROR(CheckIsNoStream(options.path));
  DL_ASSIGN_OR_RETURN(dataset::TableHints hints, options.table->Hints());
  DataFileOptions file{.hint_flag = options.table->FirstGivenFlag(),
                       .weights = std::exchange(hints.weights, ""),
                       .known = options.training,
                       .may_lack_labels = may_lack_labels};
  file.hints = std::move(hints);
  const bool is_image = may_lack_labels && IsImageFile(options.path);
  if (IsFolder(options.path) || is_image) {
    DL_ASSIGN_OR_RETURN(Json document,
                        DescribeImageFolder(options.path, options.trained->model.input().Shape()));
    DL_RETURN_IF_ERROR(ApplyHints(file, options.path, document));
    return DescribedFile{.document = std::move(document), .has_labels = !is_image};
  }
  std::optional<Json> text = DescribeText(options.path, *options.training);
  if (!text) return DescribeDataFile(options.path, file);
  DL_RETURN_IF_ERROR(ApplyHints(file, options.path, *text));
  return DescribedFile{.document = *std::move(text)};
}

StatusOr<ModelData> BareFile(const ModelDataOptions& options, Context& context) {
  const auto* data = std::get_if<job::ManifestReference>(&options.trained->data.train);
  const bool labelled = data == nullptr || data->summary.HasLabels();
  auto file = Describe(options, !labelled || options.labels == ModelLabels::kOptional);
  if (!file.ok()) return AsDataError(file.status());
  DescribedFile described = *std::move(file);
  const nn::LabelForm form = LabelFormOf(OutputsOf(options.trained->model));
  Json& document = described.document;
  if (!labelled) {
    document["label_type"] = "none";
    document.erase("labels");
    document.erase("label_column");
  } else if (document.contains("label_type") && document["label_type"] != "none" &&
             !IsFolder(options.path) && form.kind != nn::LabelForm::Kind::kNone) {
    document["label_type"] = form.kind == nn::LabelForm::Kind::kClass           ? "class"
                             : form.kind == nn::LabelForm::Kind::kClassSequence ? "class_sequence"
                                                                                : "number";
  }
  if (options.report) ReportSource(described, options.path, context.err);
  DL_ASSIGN_OR_RETURN(DatasetDocument datasets, ReadDatasetDocument(document, options.path));
  return ModelData{.dataset = std::move(datasets.train),
                   .part = {},
                   .has_labels = described.has_labels || !labelled};
}

}  // namespace

StatusOr<ModelData> ReadModelData(const ModelDataOptions& options, Context& context) {
  if (IsDataFile(options.path) || DescribeText(options.path, *options.training))
    return BareFile(options, context);
  if (const std::string flag = options.table->FirstGivenFlag(); !flag.empty()) {
    return UsageError(
        {.message = absl::StrCat(flag, " applies only to a data file, not to a document"),
         .where = flag,
         .remedy = "Set the key in the document that --data names"});
  }
  DL_ASSIGN_OR_RETURN(const Json document, ReadDataDocument(options.path, context.err));
  DL_ASSIGN_OR_RETURN(DatasetDocument datasets, ReadDatasetDocument(document, options.path));
  ModelData data{.dataset = datasets.test ? *datasets.test : datasets.train, .part = {}};
  if (datasets.split) data.part = {.split = *datasets.split, .part = dataset::Part::kTest};
  return data;
}

}  // namespace dl::cli
