#include "dataset/embedding_indices.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "nn/conf/layer_config.h"

namespace dl::dataset {
namespace {

// A range of consecutive features of a table row, or of each step of a sequence.
struct FeatureRange {
  int64_t first = 0, count = 0;
};

std::vector<FeatureRange> RangesOfInputs(const nn::ModelConfig& model) {
  std::vector<FeatureRange> ranges;
  int64_t first = 0;
  for (const nn::NamedInput& input : model.inputs) {
    const int64_t count =
        input.type.IsSequence() ? input.type.Shape().back() : input.type.Elements();
    ranges.push_back({.first = first, .count = count});
    first += count;
  }
  return ranges;
}

// Returns for each layer the input features that it passes on unchanged.
std::vector<std::optional<FeatureRange>> PassedFeatures(const nn::ModelConfig& model) {
  const std::vector<FeatureRange> inputs = RangesOfInputs(model);
  std::vector<std::optional<FeatureRange>> passed;
  for (const nn::LayerConfig& layer : model.layers) {
    std::optional<FeatureRange> read;
    if (layer.reads.size() == 1) {
      const int from = layer.reads.front();
      if (nn::IsInput(from)) {
        read = inputs[nn::InputIndex(from)];
      } else {
        read = passed[from];
      }
    }
    if (const auto* subset = std::get_if<nn::Subset>(&layer.conf); subset != nullptr && read) {
      passed.push_back(FeatureRange{.first = read->first + subset->from,
                                    .count = subset->to - subset->from + 1});
    } else if (std::holds_alternative<nn::Flatten>(layer.conf) ||
               std::holds_alternative<nn::Reshape>(layer.conf) ||
               std::holds_alternative<nn::Embedding>(layer.conf)) {
      passed.push_back(read);
    } else {
      passed.emplace_back();
    }
  }
  return passed;
}

Status CheckColumn(const FeatureColumn& column, size_t index, const nn::LayerConfig& layer) {
  const auto categories = static_cast<int64_t>(column.categories.size());
  const int64_t needed = categories + (column.unknown_is_error ? 0 : 1);
  const int64_t indices = std::get<nn::Embedding>(layer.conf).indices;
  if (indices >= needed) return absl::OkStatus();
  const std::string name = column.name.empty()
                               ? absl::StrCat("column ", index)
                               : absl::StrCat("the column \"", absl::CHexEscape(column.name), "\"");
  return InvalidArgument(
      {.message = absl::StrCat(name, " has ", categories, " categories",
                               column.unknown_is_error ? "" : " and one index for unknown ones",
                               ", but layer \"", layer.name, "\" has ", indices,
                               indices == 1 ? " index" : " indices"),
       .where = "data.train",
       .remedy = absl::StrCat("Set the layer's indices to ", needed,
                              column.unknown_is_error
                                  ? ""
                                  : ", or unknown_category of the training set to \"error\"")});
}

// Returns whether the normalizer changes a feature of the range. The channels of images and volumes
// have one entry for many features, so that each entry counts there.
bool Changes(const Normalizer& normalizer, const Schema& schema, const FeatureRange& range) {
  const bool by_feature = schema.feature_shape.size() < 3;
  const auto entries = static_cast<int64_t>(normalizer.first.size());
  const int64_t begin = by_feature ? range.first : 0;
  const int64_t end = by_feature ? std::min(entries, range.first + range.count) : entries;
  for (int64_t i = begin; i < end; ++i) {
    if (normalizer.first[i] != 0 || normalizer.second[i] != 1) return true;
  }
  return false;
}

}  // namespace

Status CheckIndicesAreNotNormalized(const Manifest& training, const nn::ModelConfig& model) {
  if (training.normalizer.kind == NormalizerKind::kNone) return absl::OkStatus();
  const std::vector<std::optional<FeatureRange>> passed = PassedFeatures(model);
  for (size_t i = 0; i < model.layers.size(); ++i) {
    if (!std::holds_alternative<nn::Embedding>(model.layers[i].conf) || !passed[i]) continue;
    if (!Changes(training.normalizer, training.schema, *passed[i])) continue;
    const bool is_table =
        !training.schema.columns().empty() || !training.schema.feature_names().empty();
    return InvalidArgument(
        {.message = absl::StrCat(
             "layer \"", model.layers[i].name, "\" reads indices, and the normalizer \"",
             std::string(NormalizerKindName(training.normalizer.kind)), "\" changes them"),
         .where = "data.normalizer",
         .remedy = absl::StrCat("Set it to \"none\"",
                                is_table ? ", or name the columns of indices in "
                                           "categorical_columns, with category_encoding \"index\""
                                         : "")});
  }
  return absl::OkStatus();
}

Status CheckEmbeddingIndices(const Schema& training, const nn::ModelConfig& model) {
  if (training.columns().empty()) return absl::OkStatus();
  const std::vector<std::optional<FeatureRange>> passed = PassedFeatures(model);
  for (size_t i = 0; i < model.layers.size(); ++i) {
    if (!std::holds_alternative<nn::Embedding>(model.layers[i].conf) || !passed[i]) continue;
    int64_t feature = 0;
    for (size_t c = 0; c < training.columns().size();
         feature += training.columns()[c].Width(), ++c) {
      const bool is_read =
          feature >= passed[i]->first && feature < passed[i]->first + passed[i]->count;
      if (!is_read || training.columns()[c].encoding != ColumnEncoding::kIndex) continue;
      DL_RETURN_IF_ERROR(CheckColumn(training.columns()[c], c, model.layers[i]));
    }
  }
  return absl::OkStatus();
}

}  // namespace dl::dataset
