#include "nn/conf/input_type.h"

#include "absl/strings/str_cat.h"
#include "base/limits.h"

namespace dl::nn {

std::vector<int64_t> InputType::Shape() const {
  if (IsImage()) return {channels, height, width};
  return {channels};
}

std::string Describe(const InputType& type) {
  if (type.IsImage())
    return absl::StrCat("image ", type.channels, "x", type.height, "x", type.width);
  return absl::StrCat(type.channels, " features");
}

Status CheckInputType(const InputType& type) {
  int64_t elements = 1;
  for (int64_t extent : {type.channels, type.height, type.width}) {
    if (extent < 1 || extent > limits::kMaxExtent) {
      return InvalidArgument(
          {.message = absl::StrCat("an extent of ", extent, " in ", Describe(type)),
           .remedy = absl::StrCat("Choose each extent from 1 to ", limits::kMaxExtent)});
    }
    // Both factors are at most 2^26 here: no overflow.
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

Json ToJson(const InputType& type) {
  if (type.IsImage()) {
    return {{"type", "image"},
            {"channels", type.channels},
            {"height", type.height},
            {"width", type.width}};
  }
  return {{"type", "feed_forward"}, {"features", type.channels}};
}

InputType InputTypeFromJson(const Json& json, const std::string& path, JsonObjectReader& parent) {
  JsonObjectReader reader(json, path);
  InputType type;
  std::string tag = "feed_forward";
  reader.Require("type");
  reader.OneOf("type", tag, {"feed_forward", "image"});
  if (tag == "image") {
    type.kind = InputKind::kImage;
    reader.Require("channels");
    reader.Require("height");
    reader.Require("width");
    reader.Int("channels", type.channels);
    reader.Int("height", type.height);
    reader.Int("width", type.width);
  } else {
    reader.Require("features");
    reader.Int("features", type.channels);
  }
  parent.AddErrors(reader.Finish());
  return type;
}

}  // namespace dl::nn
