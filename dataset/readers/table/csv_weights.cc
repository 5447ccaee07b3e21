#include "dataset/readers/table/csv_weights.h"

#include <vector>

#include "dataset/readers/example_weights.h"

namespace dl::dataset {

bool CsvWeights::AreRead() const {
  return rows_.columns().weight >= 0 && labels_ == LabelColumns::kAsTheSourceSays;
}

void CsvWeights::Begin(Schema& schema) const {
  if (AreRead()) schema.weights = {.column = rows_.PlaceOf(rows_.columns().weight)};
}

Status CsvWeights::Read(ExampleTable& table) const {
  if (!AreRead()) return absl::OkStatus();
  const int64_t column = rows_.columns().weight;
  const std::string_view text = rows_.fields()[column];
  if (missing_.Has(text))
    return rows_.Bad(column, "the weight is missing", "Fill it in or remove the row");
  const auto weight = WeightOf(text);
  if (!weight.ok()) return rows_.Bad(column, weight.status());
  table.weights.push_back(*weight);
  return absl::OkStatus();
}

Status CsvWeights::ReadEqual(ExampleTable& table) const {
  DL_RETURN_IF_ERROR(Read(table));
  const std::vector<float>& weights = table.weights;
  if (!AreRead() || weights.back() == weights[weights.size() - 2]) return absl::OkStatus();
  return rows_.Bad(rows_.columns().weight, "the weight differs from that of the row before",
                   "Give all rows of a sequence the weight of the sequence");
}

Status CsvWeights::Finish(const ExampleTable& table) const {
  if (!AreRead()) return absl::OkStatus();
  const Status status = CheckSomeWeight(table);
  return status.ok() ? status : rows_.BadColumn(rows_.columns().weight, status);
}

}  // namespace dl::dataset
