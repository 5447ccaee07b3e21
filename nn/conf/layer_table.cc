#include "nn/conf/layer_table.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nn/conf/layer_memory.h"

namespace dl::nn {
namespace {

constexpr size_t kTexts = 3;  // columns of text; the others are numbers
using Cells = std::array<std::string, 7>;

// Returns "1.23 G" for counts, in steps of 1000, or "1.23 GiB" for bytes, in steps of 1024.
std::string Shortly(double value, double step, std::string_view unit, std::string_view large_unit) {
  constexpr std::string_view kPrefixes = " KMGTPEZY";
  size_t prefix = 0;
  while (value >= step && prefix + 1 < kPrefixes.size()) {
    value /= step;
    ++prefix;
  }
  if (prefix == 0) return absl::StrCat(absl::StrFormat("%.0f", value), std::string(unit));
  const int digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return absl::StrFormat("%.*f %c%s", digits, value, kPrefixes[prefix], large_unit);
}
std::string FlopsText(double flops) { return flops == 0 ? "" : Shortly(flops, 1000, "", ""); }
std::string BytesText(double bytes) { return Shortly(bytes, 1024, " B", "iB"); }

std::string Aligned(const std::vector<Cells>& rows) {
  std::array<size_t, std::tuple_size_v<Cells>> widths{};
  for (const Cells& cells : rows) {
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const Cells& cells : rows) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string room(widths[i] - cells[i].size(), ' ');
      absl::StrAppend(&line, i == 0 ? "" : "  ", i < kTexts ? "" : room, cells[i],
                      i < kTexts ? room : "");
    }
    line.resize(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

}  // namespace

std::vector<LayerRow> LayerTable(const ModelConfig& model) {
  std::vector<LayerRow> rows;
  for (const LayerConfig& layer : model.layers) {
    const bool owns = layer.shared.empty() || !layer.parameters.empty();
    const LayerMemory memory =
        MemoryOf(layer, PaddedValues(layer.input), /*batch=*/1, /*threads=*/1);
    rows.push_back({.name = layer.name,
                    .type = std::string(TagOf(layer.conf)),
                    .output = layer.output,
                    .parameters = layer.ParameterCount(),
                    .parameters_of = owns ? "" : model.layers[layer.shared.front().layer].name,
                    .flops = FlopsOf(layer),
                    .kept_bytes = memory.kept * sizeof(float)});
  }
  return rows;
}

std::string Summary(const ModelConfig& model) {
  std::vector<Cells> rows = {
      {"layer", "type", "output", "parameters", "flops", "unpadded", "memory"}};
  for (const NamedInput& input : model.inputs)
    rows.push_back({input.name, "", Describe(input.type)});
  LayerFlops flops;
  double kept = 0;
  for (const LayerRow& row : LayerTable(model)) {
    rows.push_back(
        {row.name, row.type, Describe(row.output),
         row.parameters_of.empty() ? absl::StrCat(row.parameters) : "of " + row.parameters_of,
         FlopsText(row.flops.nominal), FlopsText(row.flops.unpadded), BytesText(row.kept_bytes)});
    flops.nominal += row.flops.nominal;
    flops.unpadded += row.flops.unpadded;
    kept += row.kept_bytes;
  }
  rows.push_back({"total", "", "", absl::StrCat(model.ParameterCount()), FlopsText(flops.nominal),
                  FlopsText(flops.unpadded), BytesText(kept)});
  return Aligned(rows);
}

}  // namespace dl::nn
