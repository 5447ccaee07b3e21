#include "web/documents/model_document.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "job/job_spec.h"
#include "nn/conf/layer_table.h"

namespace dl::web {
namespace {

std::string TextOf(const nn::InputType& type) {
  const std::string extents = absl::StrJoin(type.Shape(), " × ");
  if (type.IsSequence()) return absl::StrCat(extents, type.variable_length ? ", or shorter" : "");
  return type.IsSpatial() ? extents : absl::StrCat(extents, extents == "1" ? " value" : " values");
}

int64_t WholeFlops(double flops) { return static_cast<int64_t>(std::min(flops, 9e18)); }

}  // namespace

StatusOr<Json> ModelDocument(std::string_view spec) {
  DL_ASSIGN_OR_RETURN(const job::JobSpec job, job::JobFromText(spec, "spec"));
  Json layers = Json::array();
  for (const nn::NamedInput& input : job.model.inputs)
    layers.push_back({{"name", input.name}, {"type", "input"}, {"output", TextOf(input.type)}});
  int64_t parameters = 0;
  double flops = 0;
  const std::vector<nn::LayerRow> rows = nn::LayerTable(job.model);
  for (size_t i = 0; i < rows.size(); ++i) {
    const nn::LayerRow& row = rows[i];
    Json layer = {{"name", row.name}, {"type", row.type}, {"output", TextOf(row.output)}};
    if (row.parameters > 0) layer["parameters"] = row.parameters;
    if (row.flops.nominal > 0) layer["flops"] = WholeFlops(row.flops.nominal);
    if (!row.parameters_of.empty()) layer["parameters_of"] = row.parameters_of;
    parameters += row.parameters;
    flops += row.flops.nominal;
    layers.push_back(std::move(layer));
  }
  return Json{{"name", job.model.name},
              {"all_parameters", parameters},
              {"all_flops", WholeFlops(flops)},
              {"layers", std::move(layers)}};
}

}  // namespace dl::web
