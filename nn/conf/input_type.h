// What flows between layers for one example: a flat vector or an image. The batch dimension is not
// part of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/limits.h"
#include "base/status.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"

namespace dl::nn {

enum class InputKind : uint8_t { kFeedForward, kImage };

// A feed-forward type of n features has channels = n and height = width = 1. An image is channels
// first (CHW, row-major).
struct InputType {
  InputKind kind = InputKind::kFeedForward;
  int64_t channels = 0;
  int64_t height = 1;
  int64_t width = 1;

  bool IsImage() const { return kind == InputKind::kImage; }
  // Values of one example. REQUIRES: a type that CheckInputType accepted (no overflow).
  int64_t Elements() const { return channels * height * width; }
  std::vector<int64_t> Shape() const;  // {n} or {channels, height, width}
  bool operator==(const InputType&) const = default;

  // CheckInputType judges them.
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    const auto extent = [&](std::string_view key, std::string_view unit, std::string_view meaning,
                            auto& value) {
      visit(Field{.key = key,
                  .unit = unit,
                  .min = 1,
                  .max = limits::kMaxExtent,
                  .presence = Field::Presence::kRequired,
                  .meaning = meaning},
            value);
    };
    if (!self.IsImage()) return extent("features", "values", "Length of the vector", self.channels);
    extent("channels", "", "Channels of the image", self.channels);
    extent("height", "pixels", "Height of the image", self.height);
    extent("width", "pixels", "Width of the image", self.width);
  }
};

inline InputType FeedForward(int64_t features) { return {.channels = features}; }
inline InputType Image(int64_t channels, int64_t height, int64_t width) {
  return {InputKind::kImage, channels, height, width};
}

std::string Describe(const InputType& type);  // "784 features", "image 1x28x28"

// Each extent from 1 to limits::kMaxExtent, and at most limits::kMaxExampleElements values in all.
Status CheckInputType(const InputType& type);

std::string_view TagOf(const InputType& type);  // "feed_forward", "image"
std::vector<InputType> DefaultsOf(const InputType*);
Json ToJson(const InputType& type);
void DescribeValue(const Field& field, const InputType& type, std::vector<KeyRow>& rows);
// Mistakes go to the reader; a wrong or incomplete object leaves a type that CheckInputType
// refuses.
InputType InputTypeFromJson(const Json& json, const std::string& path, JsonObjectReader& parent);

}  // namespace dl::nn
