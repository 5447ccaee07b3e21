#include "nn/conf/input_type.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "nn/conf/typed_object.h"

namespace dl::nn {
namespace {

std::string_view InputTag(InputKind kind) {
  switch (kind) {
    case InputKind::kFeedForward:
      return "feed_forward";
    case InputKind::kImage:
      return "image";
    case InputKind::kSequence:
      return "sequence";
    case InputKind::kVolume:
      return "volume";
  }
  return kNoTag;
}

void ReadInput(JsonObjectReader& reader, InputType& type, JsonObjectReader& parent) {
  ReadType(reader, type);
  ReadFields(reader, MembersOf(type));
  parent.AddErrors(reader.Finish());
}

}  // namespace

std::vector<int64_t> InputType::Shape() const {
  switch (kind) {
    case InputKind::kFeedForward:
      break;
    case InputKind::kImage:
      return {channels, height, width};
    case InputKind::kSequence:
      return {height, channels};
    case InputKind::kVolume:
      return {channels, depth, height, width};
  }
  return {channels};
}

InputType InputType::WithRowsOf(int64_t features) const {
  if (!IsSequence()) return FeedForward(features);
  InputType rows = *this;
  rows.channels = features;
  return rows;
}

int64_t ElementsOf(const std::vector<NamedInput>& inputs) {
  int64_t elements = 0;
  for (const NamedInput& input : inputs) elements += input.type.Elements();
  return elements;
}

std::string Describe(const InputType& type) {
  if (type.IsSpatial())
    return absl::StrCat(type.IsVolume() ? "volume " : "image ", absl::StrJoin(type.Shape(), "x"));
  if (type.IsSequence()) {
    return absl::StrCat(type.variable_length ? "up to " : "", type.height, " steps of ",
                        type.channels, " features");
  }
  return absl::StrCat(type.channels, " features");
}

Status CheckInputType(const InputType& type) {
  int64_t elements = 1;
  for (int64_t extent : {type.channels, type.depth, type.height, type.width}) {
    if (extent < 1 || extent > limits::kMaxExtent) {
      return InvalidArgument(
          {.message = absl::StrCat("an extent of ", extent, " in ", Describe(type)),
           .remedy = absl::StrCat("Choose each extent from 1 to ", limits::kMaxExtent)});
    }
    // No overflow: both factors are at most 2^26.
    elements *= extent;
    if (elements > limits::kMaxExampleElements) {
      return InvalidArgument(
          {.message = absl::StrCat(Describe(type), " has more than ", limits::kMaxExampleElements,
                                   " values for one example"),
           .remedy = "Make it smaller"});
    }
  }
  return absl::OkStatus();
}

std::string_view TagOf(const InputType& type) { return InputTag(type.kind); }

std::vector<InputType> DefaultsOf(const InputType*) {
  std::vector<InputType> defaults;
  for (const InputKind kind : AllKinds(InputTag)) defaults.push_back({.kind = kind});
  return defaults;
}

// The key is written only if true, so that documents from before it existed stay the same.
Json ToJson(const InputType& type) {
  Json json = TypedToJson(type);
  if (!type.variable_length) json.erase("variable_length");
  return json;
}

void DescribeValue(const Field& field, const InputType& type, std::vector<KeyRow>& rows) {
  DescribeTyped(field, type,
                "Flat vector, image (channels, rows, columns), volume (channels, slices, rows, "
                "columns), or sequence of steps",
                rows);
}

InputType InputTypeFromJson(const Json& json, const std::string& path, JsonObjectReader& parent) {
  JsonObjectReader reader(json, path);
  InputType type;
  ReadInput(reader, type, parent);
  return type;
}

NamedInput NamedInputFromJson(const Json& json, const std::string& path, JsonObjectReader& parent) {
  JsonObjectReader reader(json, path);
  NamedInput input;
  reader.Require("name");
  reader.String("name", input.name);
  ReadInput(reader, input.type, parent);
  return input;
}

}  // namespace dl::nn
