#include "launch/import/pytorch_transposed.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace dl::launch {

int64_t ExchangedAxes::TheirsOf(int64_t mine) const {
  const int64_t place = mine / kernel;
  const int64_t group = place / (filters * channels), inside = place % (filters * channels);
  const int64_t filter = inside / channels, channel = inside % channels;
  return ((group * channels + channel) * filters + filter) * kernel;
}

StatusOr<std::optional<ExchangedAxes>> AxesToExchange(const nn::LayerConfig& layer,
                                                      const std::string& tensor,
                                                      const SafetensorsFile& file,
                                                      const std::string& theirs) {
  const auto* const conf = std::get_if<nn::TransposedConv2D>(&layer.conf);
  const auto parameter = std::ranges::find(layer.parameters, tensor, &nn::ParameterConf::name);
  if (conf == nullptr || tensor != "weight" || parameter == layer.parameters.end())
    return std::nullopt;
  const std::vector<int64_t>& mine = parameter->shape;
  const ExchangedAxes axes{
      .filters = mine[0] / conf->groups, .channels = mine[1], .kernel = mine[2] * mine[3]};
  const std::vector<int64_t> exchanged = {axes.channels * conf->groups, axes.filters, mine[2],
                                          mine[3]};
  if (file.tensors().at(theirs).shape != exchanged) return std::nullopt;
  const bool is_same_order = axes.filters == 1 && axes.channels == 1;
  if (is_same_order || (mine == exchanged && file.IsExport())) return std::nullopt;
  if (mine != exchanged || file.IsOfPyTorch()) return axes;
  return InvalidArgument(
      {.message = absl::StrCat(
           "its tensor ", theirs, " of a transposed convolution is [", absl::StrJoin(mine, ", "),
           "]: its first axis may be channels, as PyTorch stores it, or "
           "filters, as dl-submit export does, and the file does not say which"),
       .where = file.path(),
       .remedy = "If PyTorch wrote it, save it again with its format: "
                 "safetensors.torch.save_file(tensors, path, metadata={\"format\": \"pt\"})"});
}

}  // namespace dl::launch
