#include "inference/serving/example_json.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "dataset/readers/text/text_vocabulary.h"
#include "inference/number_json.h"
#include "inference/serving/date_text.h"
#include "inference/serving/png_image.h"
#include "job/sources/columns.h"

namespace dl::inference {
namespace {

using dataset::Block;
using dataset::FeatureColumn;
using dataset::Schema;

constexpr int64_t kMaxSide = 256;
constexpr size_t kMaxValues = 4096;
constexpr size_t kMostTokens = 1000;  // of a text

std::vector<float> FeaturesOf(const Block& block, const Schema& schema, size_t example) {
  const auto size = static_cast<size_t>(schema.FeatureSize());
  if (schema.feature_type() == dataset::FeatureType::kU8) {
    const auto row = block.features_u8().subspan(example * size, size);
    return {row.begin(), row.end()};
  }
  const auto row = block.features_f32().subspan(example * size, size);
  return {row.begin(), row.end()};
}

// Returns the PNG of [channels, height, width], with the sides reduced to at most kMaxSide.
// Numbers are scaled from the range of the example to 0..255.
std::string PngOf(const std::vector<float>& values, const Schema& schema) {
  const int64_t channels = schema.feature_shape[0];
  const int64_t height = schema.feature_shape[1], width = schema.feature_shape[2];
  const int64_t step = (std::max(height, width) + kMaxSide - 1) / kMaxSide;
  const bool is_bytes = schema.feature_type() == dataset::FeatureType::kU8;
  const auto [least, most] = std::ranges::minmax(values);
  const float shift = is_bytes ? 0 : least;
  const float scale = is_bytes ? 1 : most > least ? 255 / (most - least) : 0;
  std::vector<uint8_t> pixels;
  for (int64_t y = 0; y < height; y += step) {
    for (int64_t x = 0; x < width; x += step) {
      for (int64_t c = 0; c < channels; ++c) {
        const float value =
            (values[static_cast<size_t>((c * height + y) * width + x)] - shift) * scale;
        pixels.push_back(
            static_cast<uint8_t>(std::clamp(std::isfinite(value) ? value : 0.0f, 0.0f, 255.0f)));
      }
    }
  }
  return EncodePng(pixels, (width + step - 1) / step, (height + step - 1) / step, channels);
}

// Returns the value of a column from its features. `origins` are those of the features.
Json ColumnValue(const FeatureColumn& column, std::span<const float> features,
                 std::span<const double> origins) {
  const auto origin = [&](size_t i) { return origins.empty() ? 0 : origins[i]; };
  const auto name_of = [&](size_t category) -> Json {
    // Unknown in the training set, or missing.
    if (category >= column.categories.size() || column.categories[category].empty()) return nullptr;
    return column.categories[category];
  };
  switch (column.encoding) {
    case dataset::ColumnEncoding::kNumber:
      return NumberJson(features[0], origin(0));
    case dataset::ColumnEncoding::kDate: {
      if (std::isnan(features[0])) return nullptr;
      const std::string text = DateText(features[0], origin(0), column.zone);
      return text.empty() ? NumberJson(features[0], origin(0)) : Json(text);
    }
    case dataset::ColumnEncoding::kIndex:
      return name_of(static_cast<size_t>(features[0]));
    case dataset::ColumnEncoding::kOneHot:
      return name_of(static_cast<size_t>(std::ranges::find(features, 1.0f) - features.begin()));
    case dataset::ColumnEncoding::kDateParts:
      break;
  }
  const auto part = [&](size_t i) { return static_cast<double>(features[i]) + origin(i); };
  const std::string text = DateText(part(0), part(1), part(2), part(4), part(5), column.zone);
  if (!text.empty()) return text;
  Json parts = Json::object();
  for (size_t i = 0; i < features.size(); ++i)
    parts[std::string(dataset::kDatePartNames[i])] = NumberJson(features[i], origin(i));
  return parts;
}

// Returns the values of a row of a table, by the names of its columns if they have names.
Json RowOf(const std::vector<float>& values, const Schema& schema) {
  const std::vector<double>& origins = schema.origins();
  Json by_name = Json::object(), list = Json::array();
  const auto add = [&](const std::string& name, Json value) {
    if (name.empty()) {
      list.push_back(std::move(value));
    } else {
      by_name[name] = std::move(value);
    }
  };
  if (schema.columns().empty()) {
    const std::vector<std::string>& names = schema.feature_names();
    for (size_t i = 0; i < values.size() && (!names.empty() || i < kMaxValues); ++i) {
      add(names.empty() ? "" : names[i], NumberJson(values[i], origins.empty() ? 0 : origins[i]));
    }
  } else {
    size_t at = 0;
    for (const FeatureColumn& column : schema.columns()) {
      const auto width = static_cast<size_t>(column.Width());
      add(column.name, ColumnValue(column, std::span(values).subspan(at, width),
                                   origins.empty() ? std::span<const double>()
                                                   : std::span(origins).subspan(at, width)));
      at += width;
    }
  }
  return by_name.empty() ? list : by_name;
}

Json ValuesOf(const std::vector<float>& values, const Schema& schema) {
  if (schema.feature_shape.size() == 1) return RowOf(values, schema);
  Json list = Json::array();
  for (size_t i = 0; i < std::min(values.size(), kMaxValues); ++i)
    list.push_back(NumberJson(values[i], 0));
  return list;
}

// Returns the targets of an example, by the names of their columns if they have names.
Json TargetsOf(std::span<const float> targets, const Schema& schema) {
  const std::vector<double>& origins = schema.target_origins();
  Json by_name = Json::object(), list = Json::array();
  for (size_t i = 0; i < targets.size(); ++i) {
    const size_t target = i % static_cast<size_t>(schema.target_size());
    const std::vector<std::string>& names =
        schema.target_columns().empty() ? schema.class_names() : schema.ClassNamesAt(target);
    Json value = names.empty() ? NumberJson(targets[i], origins.empty() ? 0 : origins[target])
                               : ClassJson(static_cast<int32_t>(targets[i]), names);
    const bool is_named = schema.label_columns.all.size() == targets.size();
    const auto* name = is_named ? std::get_if<std::string>(&schema.label_columns.all[i]) : nullptr;
    if (name != nullptr) by_name[*name] = value;
    list.push_back(std::move(value));
  }
  if (by_name.size() == list.size() && !list.empty() && list.size() > 1) return by_name;
  return list.size() == 1 ? list.front() : list;
}

Json LabelOf(const Block& block, const Schema& schema, size_t example) {
  const auto count = static_cast<size_t>(schema.labels_per_example());
  if (schema.label_kind() == dataset::LabelKind::kTarget) {
    const size_t size = count * static_cast<size_t>(schema.target_size());
    return TargetsOf(block.targets().subspan(example * size, size), schema);
  }
  const auto labels = block.classes().subspan(example * count, count);
  if (count == 1 && !schema.label_sequences()) return ClassJson(labels[0], schema.class_names());
  Json list = Json::array();
  for (const int32_t label : labels.first(std::min(labels.size(), kMaxValues))) {
    if (schema.label_sequences() && label < 0) break;
    list.push_back(ClassJson(label, schema.class_names()));
  }
  return list;
}

// Returns the text of an example of tokens; nullopt for other data.
std::optional<std::string> TextOf(std::span<const float> values, const Schema& schema) {
  if (!schema.JudgesSteps() || schema.FeatureSize() != schema.labels_per_example())
    return std::nullopt;
  const std::vector<std::string>& vocabulary = schema.class_names();
  const auto unit = dataset::UnitOfVocabulary(vocabulary);
  if (!unit) return std::nullopt;
  std::string text;
  for (const float value : values.first(std::min(values.size(), kMostTokens))) {
    if (!(value >= 0 && value < static_cast<float>(vocabulary.size()))) return std::nullopt;
    text += dataset::TokenText(vocabulary[static_cast<size_t>(value)], *unit, text);
  }
  return text;
}

}  // namespace

Json ColumnNames(const Schema& schema) {
  Json names = Json::array();
  if (schema.feature_shape.size() != 1) return names;
  for (const FeatureColumn& column : schema.columns()) {
    if (!column.name.empty()) names.push_back(column.name);
  }
  return schema.columns().empty() ? Json(schema.feature_names()) : names;
}

Json ClassJson(int32_t label, const std::vector<std::string>& names) {
  if (label < 0) return nullptr;
  if (static_cast<size_t>(label) < names.size()) return names[static_cast<size_t>(label)];
  return label;
}

bool IsImage(const Schema& schema) {
  return schema.feature_shape.size() == 3 &&
         (schema.feature_shape[0] == 1 || schema.feature_shape[0] == 3);
}

std::string ExamplePng(const Block& block, const Schema& schema, size_t example) {
  return PngOf(FeaturesOf(block, schema, example), schema);
}

Json ExampleJson(const Block& block, const Schema& schema, size_t example,
                 web::SampleImages images) {
  Json sample = {{"id", block.ids()[example]}};
  if (IsImage(schema) && images == web::SampleImages::kInline) {
    sample["image"] =
        absl::StrCat("data:image/png;base64,", EncodeBase64(ExamplePng(block, schema, example)));
  } else if (IsImage(schema)) {
    sample["has_image"] = true;
  } else {
    const std::vector<float> values = FeaturesOf(block, schema, example);
    sample["values"] = ValuesOf(values, schema);
    if (auto text = TextOf(values, schema)) sample["text"] = *std::move(text);
  }
  if (schema.label_kind() != dataset::LabelKind::kNone)
    sample["label"] = LabelOf(block, schema, example);
  if (!block.weights().empty()) sample["weight"] = NumberJson(block.weights()[example], 0);
  if (!block.lengths().empty()) sample["length"] = block.lengths()[example];
  return sample;
}

}  // namespace dl::inference
