#include "cli/tensorboard/event_messages.h"

#include "base/json.h"
#include "cli/tensorboard/number_bytes.h"
#include "cli/tensorboard/protobuf_message.h"

namespace dl::cli {
namespace {

// Numbers of fields and values, by message.
namespace event {
constexpr int kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7;
}
namespace session_log {
constexpr int kStatus = 1;
constexpr int64_t kStart = 1;
}  // namespace session_log
namespace summary {
constexpr int kValue = 1;
}
namespace summary_value {
constexpr int kTag = 1, kSimpleValue = 2, kHistogram = 5, kTensor = 8, kMetadata = 9;
}
namespace histogram {  // tensorboard/compat/proto/histogram.proto
constexpr int kMin = 1, kMax = 2, kCount = 3, kSum = 4, kSquares = 5, kLimits = 6, kCounts = 7;
}
namespace metadata {
constexpr int kPluginData = 1, kDescription = 3, kDataClass = 4;
constexpr int64_t kTensorClass = 2, kBlobsClass = 3;
constexpr int kPluginName = 1, kContent = 2;  // of PluginData
}  // namespace metadata
namespace tensor {
constexpr int kType = 1, kShape = 2, kFloats = 5, kTexts = 8;
constexpr int64_t kFloatType = 1, kTextType = 7;
constexpr int kDimension = 2, kSize = 1;  // of TensorShapeProto and its Dim
}  // namespace tensor
// tensorboard/plugins/hparams/plugin_data.proto
namespace hparams {
constexpr int kStartInfo = 3, kEndInfo = 4;                   // of HParamsPluginData
constexpr int kSettings = 1, kGroupName = 4, kStartTime = 5;  // of SessionStartInfo
constexpr int kStatus = 1, kEndTime = 2;                      // of SessionEndInfo
constexpr int kKey = 1, kValue = 2;                           // of an entry of the map
constexpr int kNumber = 2, kText = 3, kBoolean = 4;           // of google.protobuf.Value
}  // namespace hparams

ProtobufMessage EventAt(const EventPlace& place) {
  ProtobufMessage message;
  message.Double(event::kWallTime, place.wall_time);
  if (place.step != 0) message.Integer(event::kStep, place.step);
  return message;
}

std::string SummaryEvent(const EventPlace& place, const ProtobufMessage& values) {
  return EventAt(place).Message(event::kSummary, values).bytes();
}

ProtobufMessage MetadataFor(std::string_view plugin, std::string_view content) {
  ProtobufMessage plugin_data, result;
  plugin_data.Bytes(metadata::kPluginName, plugin).Bytes(metadata::kContent, content);
  result.Message(metadata::kPluginData, plugin_data)
      .Integer(metadata::kDataClass, metadata::kTensorClass);
  return result;
}

std::string TensorEvent(const EventPlace& place, std::string_view tag,
                        const ProtobufMessage& tensor_message, const ProtobufMessage& about) {
  ProtobufMessage value, values;
  value.Bytes(summary_value::kTag, tag)
      .Message(summary_value::kTensor, tensor_message)
      .Message(summary_value::kMetadata, about);
  values.Message(summary::kValue, value);
  return SummaryEvent(place, values);
}

// The tensor of a value that consists of metadata: one zero.
ProtobufMessage ZeroTensor() {
  ProtobufMessage dimension, shape, result;
  dimension.Integer(tensor::kSize, 1);
  shape.Message(tensor::kDimension, dimension);
  result.Integer(tensor::kType, tensor::kFloatType)
      .Message(tensor::kShape, shape)
      .Bytes(tensor::kFloats, std::string_view("\0\0\0\0", 4));
  return result;
}

std::string HparamsEvent(const EventPlace& place, std::string_view tag, int field,
                         const ProtobufMessage& info) {
  ProtobufMessage content;
  content.Message(field, info);
  return TensorEvent(place, tag, ZeroTensor(), MetadataFor("hparams", content.bytes()));
}

// A bucket of the message has only its upper limit, so gaps become buckets without values. The sums
// assume that the values of a bucket are spread evenly over it.
ProtobufMessage HistogramMessage(const std::vector<HistogramBucket>& buckets) {
  std::string limits, counts;
  double count = 0, sum = 0, squares = 0;
  for (size_t i = 0; i < buckets.size(); ++i) {
    const auto& [low, high, values] = buckets[i];
    if (i > 0 && buckets[i - 1].high != low) {
      AppendBytes(low, limits);
      AppendBytes(0.0, counts);
    }
    const auto number = static_cast<double>(values);
    AppendBytes(high, limits);
    AppendBytes(number, counts);
    count += number;
    sum += number * (low + high) / 2;
    squares += number * (low * low + low * high + high * high) / 3;
  }
  ProtobufMessage message;
  message.Double(histogram::kMin, buckets.empty() ? 0 : buckets.front().low)
      .Double(histogram::kMax, buckets.empty() ? 0 : buckets.back().high)
      .Double(histogram::kCount, count)
      .Double(histogram::kSum, sum)
      .Double(histogram::kSquares, squares)
      .Bytes(histogram::kLimits, limits)
      .Bytes(histogram::kCounts, counts);
  return message;
}

ProtobufMessage SettingValue(const Json& value) {
  ProtobufMessage result;
  if (value.is_number()) {
    result.Double(hparams::kNumber, value.get<double>());
  } else if (value.is_boolean()) {
    result.Integer(hparams::kBoolean, value.get<bool>() ? 1 : 0);
  } else {
    result.Bytes(hparams::kText,
                 value.is_string() ? value.get_ref<const std::string&>() : JsonText(value));
  }
  return result;
}

}  // namespace

std::string VersionEvent(double wall_time) {
  return EventAt({.wall_time = wall_time}).Bytes(event::kFileVersion, "brain.Event:2").bytes();
}

std::string StartEvent(double wall_time) {
  ProtobufMessage log;
  log.Integer(session_log::kStatus, session_log::kStart);
  return EventAt({.wall_time = wall_time}).Message(event::kSessionLog, log).bytes();
}

std::string RoundEvent(const EventPlace& place, const std::vector<TaggedScalar>& scalars,
                       const std::vector<TaggedHistogram>& histograms) {
  ProtobufMessage values;
  for (const TaggedScalar& scalar : scalars) {
    ProtobufMessage value;
    value.Bytes(summary_value::kTag, scalar.tag).Float(summary_value::kSimpleValue, scalar.value);
    values.Message(summary::kValue, value);
  }
  for (const TaggedHistogram& tagged : histograms) {
    ProtobufMessage value;
    value.Bytes(summary_value::kTag, tagged.tag)
        .Message(summary_value::kHistogram, HistogramMessage(tagged.buckets));
    values.Message(summary::kValue, value);
  }
  return SummaryEvent(place, values);
}

std::string TextEvent(const EventPlace& place, std::string_view tag, std::string_view markdown) {
  ProtobufMessage text;  // a tensor without dimensions
  text.Integer(tensor::kType, tensor::kTextType)
      .Message(tensor::kShape, ProtobufMessage())
      .Bytes(tensor::kTexts, markdown);
  return TensorEvent(place, tag, text, MetadataFor("text", ""));
}

std::string PicturesEvent(const EventPlace& place, std::string_view tag, const Pictures& pictures) {
  ProtobufMessage dimension, shape, texts, plugin, about;
  dimension.Integer(tensor::kSize, 2 + std::ssize(pictures.files));
  shape.Message(tensor::kDimension, dimension);
  texts.Integer(tensor::kType, tensor::kTextType)
      .Message(tensor::kShape, shape)
      .Bytes(tensor::kTexts, std::to_string(pictures.width))
      .Bytes(tensor::kTexts, std::to_string(pictures.height));
  for (const std::string& file : pictures.files) texts.Bytes(tensor::kTexts, file);
  plugin.Bytes(metadata::kPluginName, "images");
  about.Message(metadata::kPluginData, plugin)
      .Bytes(metadata::kDescription, pictures.description)
      .Integer(metadata::kDataClass, metadata::kBlobsClass);
  return TensorEvent(place, tag, texts, about);
}

std::string SettingsEvent(double start_time, std::string_view run, const FlatSettings& settings) {
  ProtobufMessage info;
  for (const auto& [name, value] : settings) {
    ProtobufMessage entry;
    entry.Bytes(hparams::kKey, name).Message(hparams::kValue, SettingValue(value));
    info.Message(hparams::kSettings, entry);
  }
  info.Bytes(hparams::kGroupName, run).Double(hparams::kStartTime, start_time);
  return HparamsEvent({.wall_time = start_time}, "_hparams_/session_start_info",
                      hparams::kStartInfo, info);
}

std::string EndEvent(const EventPlace& place, RunEnd end) {
  ProtobufMessage info;
  info.Integer(hparams::kStatus, static_cast<int64_t>(end))
      .Double(hparams::kEndTime, place.wall_time);
  return HparamsEvent(place, "_hparams_/session_end_info", hparams::kEndInfo, info);
}

}  // namespace dl::cli
