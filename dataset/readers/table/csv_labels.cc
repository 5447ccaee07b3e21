#include "dataset/readers/table/csv_labels.h"

#include <algorithm>

#include "dataset/readers/class_labels.h"
#include "dataset/readers/feature_rounder.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/table/column_encoder.h"
#include "dataset/readers/table/csv_mistakes.h"

namespace dl::dataset {

Labels CsvLabels::EmptyLabels() const {
  if (AreLeftOut()) return options_.training->labels;
  Labels labels = LabelsOfType(source_.label_type);
  if (auto* targets = std::get_if<TargetLabels>(&labels)) {
    targets->size = std::max<int64_t>(1, std::ssize(source_.target_columns.all));
    // If the training split has other targets, CheckSameSchema reports it.
    if (options_.training != nullptr && options_.training->target_size() == targets->size)
      targets->columns = options_.training->target_columns();
  }
  return labels;
}

std::string CsvLabels::NameOf(size_t label) const {
  return rows_.names().empty() ? "" : rows_.names()[rows_.columns().labels[label]];
}

Status CsvLabels::Fit(FitMemory& memory) {
  const std::vector<int64_t>& labels = rows_.columns().labels;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (fits_.size() == i) {
      const bool classes = rows_.columns().classes[i];
      fits_.emplace_back(ColumnFit::Options{.name = NameOf(i),
                                            .kind = classes ? ColumnFit::Kind::kCategory
                                                            : ColumnFit::Kind::kNumber,
                                            .encoding = job::CategoryEncoding::kIndex,
                                            .unknown = job::UnknownCategory::kError},
                         memory);
    }
    const std::string_view text = rows_.fields()[labels[i]];
    if (Status status = fits_[i].Add(text, missing_.Has(text)); !status.ok())
      return rows_.Bad(labels[i], status);
  }
  return absl::OkStatus();
}

Status CsvLabels::FinishFit(Schema& schema) const {
  const std::vector<bool>& classes = rows_.columns().classes;
  if (std::ranges::find(classes, true) == classes.end()) return absl::OkStatus();
  for (size_t i = 0; i < fits_.size(); ++i) {
    auto column = fits_[i].Finish();
    if (!column.ok()) return rows_.BadColumn(rows_.columns().labels[i], column.status());
    std::get<TargetLabels>(schema.labels).columns.push_back(*std::move(column));
  }
  return absl::OkStatus();
}

Status CsvLabels::Read(ExampleTable& table) {
  const bool is_class = table.schema.label_kind() == LabelKind::kClass;
  if (AreLeftOut()) {
    if (is_class) table.classes.push_back(0);
    table.targets.resize(table.targets.size() + table.schema.target_size());
    return absl::OkStatus();
  }
  if (is_class) {
    DL_ASSIGN_OR_RETURN(const int32_t label, ClassOfRow());
    table.classes.push_back(label);
    return absl::OkStatus();
  }
  for (size_t i = 0; i < rows_.columns().labels.size(); ++i)
    DL_RETURN_IF_ERROR(ReadTarget(i, table));
  return absl::OkStatus();
}

Status CsvLabels::ReadTarget(size_t target, ExampleTable& table) const {
  const int64_t column = rows_.columns().labels[target];
  const std::string_view text = rows_.fields()[column];
  const std::vector<FeatureColumn>& known = table.schema.target_columns();
  const bool is_class = target < known.size() && !known[target].IsNumber();
  if (missing_.Has(text)) {
    if (!is_class) return rows_.Bad(column, "a value is missing", "Fill it in or remove the row");
    table.targets.push_back(static_cast<float>(kNoLabel));
    return absl::OkStatus();
  }
  if (is_class) {
    FeatureRounder none;
    const Status status = EncodeField(known[target], text, /*missing=*/false, none, table.targets);
    return status.ok() ? status
                       : rows_.Bad(column, std::string(status.message()),
                                   "Correct the label, or train on data that has it");
  }
  const auto number = NumberOf(text);
  if (number.ok()) {
    table.targets.push_back(RoundTarget(options_, target, *number));
    return absl::OkStatus();
  }
  if (ErrorRemedy(number.status()) != kEncodeCategories || source_.target_columns.all.empty())
    return rows_.Bad(column, number.status());
  return rows_.Bad(column, std::string(number.status().message()),
                   "Where the column holds classes, name it in categorical_columns of the training "
                   "set too");
}

StatusOr<int32_t> CsvLabels::ClassOfRow() {
  const int64_t column = rows_.columns().labels.front();
  const std::string_view text = rows_.fields()[column];
  if (missing_.Has(text))
    return rows_.Bad(column, "the label is missing", "Fill it in or remove the row");
  const bool ends = source_.label_suffix && text.ends_with(*source_.label_suffix) &&
                    text.size() > source_.label_suffix->size();
  const auto label =
      texts_.Add(ends ? text.substr(0, text.size() - source_.label_suffix->size()) : text);
  return label.ok() ? label : rows_.Bad(column, label.status());
}

void CsvLabels::Finish(ExampleTable& table) const {
  if (table.schema.label_kind() == LabelKind::kClass) texts_.Finish(table);
}

}  // namespace dl::dataset
