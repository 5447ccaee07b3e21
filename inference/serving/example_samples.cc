#include "inference/serving/example_samples.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "dataset/decoded_block_cache.h"
#include "dataset/manifest.h"
#include "inference/client_blocks.h"
#include "inference/serving/date_text.h"
#include "inference/serving/png_image.h"
#include "job/sources/columns.h"
#include "rpc/messages.h"

namespace dl::inference {
namespace {

using dataset::Block;
using dataset::FeatureColumn;
using dataset::Manifest;
using dataset::Schema;

constexpr int64_t kMostSide = 256;
constexpr size_t kMostValues = 4096;

// Returns a number with the fewest digits that give the same float32, or a double with its origin.
Json NumberJson(float value, double origin) {
  if (!std::isfinite(value)) return nullptr;
  if (origin != 0) return static_cast<double>(value) + origin;
  std::array<char, 32> text;
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double shown = 0;
  std::from_chars(text.data(), end, shown);
  return shown;
}

std::vector<float> FeaturesOf(const Block& block, const Schema& schema, size_t example) {
  const auto size = static_cast<size_t>(schema.FeatureSize());
  if (schema.feature_type() == dataset::FeatureType::kU8) {
    const auto row = block.features_u8().subspan(example * size, size);
    return {row.begin(), row.end()};
  }
  const auto row = block.features_f32().subspan(example * size, size);
  return {row.begin(), row.end()};
}

// Returns the bytes of [channels, height, width] as [height, width, channels], with the sides
// reduced to at most kMostSide. Numbers are scaled from the range of the example to 0..255.
std::string ImageOf(const std::vector<float>& values, const Schema& schema) {
  const int64_t channels = schema.feature_shape[0];
  const int64_t height = schema.feature_shape[1], width = schema.feature_shape[2];
  const int64_t step = (std::max(height, width) + kMostSide - 1) / kMostSide;
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
  const std::string png =
      EncodePng(pixels, (width + step - 1) / step, (height + step - 1) / step, channels);
  return absl::StrCat("data:image/png;base64,", EncodeBase64(png));
}

bool IsImage(const Schema& schema) {
  return schema.feature_shape.size() == 3 &&
         (schema.feature_shape[0] == 1 || schema.feature_shape[0] == 3);
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
    for (size_t i = 0; i < values.size() && (!names.empty() || i < kMostValues); ++i) {
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
  for (size_t i = 0; i < std::min(values.size(), kMostValues); ++i)
    list.push_back(NumberJson(values[i], 0));
  return list;
}

Json ClassJson(int32_t label, const std::vector<std::string>& names) {
  if (label < 0) return nullptr;
  if (static_cast<size_t>(label) < names.size()) return names[static_cast<size_t>(label)];
  return label;
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
  for (const int32_t label : labels.first(std::min(labels.size(), kMostValues))) {
    if (schema.label_sequences() && label < 0) break;
    list.push_back(ClassJson(label, schema.class_names()));
  }
  return list;
}

Json SampleOf(const Block& block, const Schema& schema, size_t example) {
  const std::vector<float> values = FeaturesOf(block, schema, example);
  Json sample = {{"id", block.ids()[example]}};
  if (IsImage(schema)) {
    sample["image"] = ImageOf(values, schema);
  } else {
    sample["values"] = ValuesOf(values, schema);
  }
  if (schema.label_kind() != dataset::LabelKind::kNone)
    sample["label"] = LabelOf(block, schema, example);
  if (!block.weights().empty()) sample["weight"] = NumberJson(block.weights()[example], 0);
  if (!block.lengths().empty()) sample["length"] = block.lengths()[example];
  return sample;
}

StatusOr<Manifest> ManifestOf(rpc::ClientService& client, const web::SampleRequest& request) {
  if (request.set != "train" && request.set != "test") {
    return InvalidArgument({.message = absl::StrCat("there is no set \"", request.set, "\""),
                            .where = "set",
                            .remedy = "Use train or test"});
  }
  const rpc::QueryKind kind =
      request.set == "train" ? rpc::QueryKind::kTrainManifest : rpc::QueryKind::kTestManifest;
  DL_ASSIGN_OR_RETURN(const rpc::QueryReply reply,
                      client.Query({.what = kind, .job = request.job}, limits::kControlDeadline));
  return dataset::ManifestFromJson(reply.json, "manifest");
}

}  // namespace

StatusOr<std::string> ExampleSamples(rpc::ClientService& client,
                                     const web::SampleRequest& request) {
  DL_ASSIGN_OR_RETURN(const Manifest manifest, ManifestOf(client, request));
  if (request.first < 0 || request.first >= manifest.examples) {
    return InvalidArgument(
        {.message = absl::StrCat("the set has ", manifest.examples,
                                 " examples, so there is no example ", request.first),
         .where = "first"});
  }
  const int64_t end = std::min(manifest.examples, request.first + request.count);
  ClientBlocks source(client);
  dataset::DecodedBlockCache blocks(source, /*max_bytes=*/0);
  Json samples = Json::array();
  int64_t begin = 0;  // index of the first example of the block
  for (const dataset::BlockInfo& info : manifest.blocks) {
    if (begin >= end) break;
    if (begin + info.examples > request.first) {
      DL_ASSIGN_OR_RETURN(const std::shared_ptr<const Block> block,
                          blocks.Get(info, manifest.schema));
      for (int64_t i = std::max(request.first, begin); i < std::min(end, begin + info.examples);
           ++i) {
        samples.push_back(SampleOf(*block, manifest.schema, static_cast<size_t>(i - begin)));
      }
    }
    begin += info.examples;
  }
  return JsonText({{"set", request.set},
                   {"first", request.first},
                   {"examples", manifest.examples},
                   {"samples", std::move(samples)}});
}

}  // namespace dl::inference
