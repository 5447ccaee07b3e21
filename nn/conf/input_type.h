// What flows between layers for one example: a flat vector, an image, a volume or a sequence. The
// batch dimension is not part of it.
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

enum class InputKind : uint8_t { kFeedForward, kImage, kSequence, kVolume };

// A feed-forward type of n features has channels = n and all other extents 1. An image is channels
// first (CHW, row-major), and so is a volume (CDHW): slices of a scan, or frames of a video, are
// its depth. A sequence of T steps is [T, features], row-major: channels are its features and
// height its steps. Where its length is variable an example may have fewer steps, from 1 on; what
// stands in the rows behind its last step is nobody's, and no result depends on it.
struct InputType {
  InputKind kind = InputKind::kFeedForward;
  int64_t channels = 0;
  int64_t depth = 1;  // of a volume
  int64_t height = 1;
  int64_t width = 1;
  bool variable_length = false;  // of a sequence

  bool IsImage() const { return kind == InputKind::kImage; }
  bool IsVolume() const { return kind == InputKind::kVolume; }
  bool IsSequence() const { return kind == InputKind::kSequence; }
  // Whether it has channels first, each of several pixels.
  bool IsSpatial() const { return IsImage() || IsVolume(); }
  // Of an image or a volume: values of one channel.
  int64_t Pixels() const { return depth * height * width; }
  // Of a sequence: how many rows of features one example is. 1 of all else.
  int64_t Steps() const { return IsSequence() ? height : 1; }
  // What a layer gives that turns each row of features into `features` others, as many rows.
  InputType WithRowsOf(int64_t features) const;
  // Values of one example. REQUIRES: a type that CheckInputType accepted (no overflow).
  int64_t Elements() const { return channels * Pixels(); }
  // {n}, {channels, height, width}, {channels, depth, height, width} or {steps, features}.
  std::vector<int64_t> Shape() const;
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
    if (self.IsSequence()) {
      extent("steps", "steps", "Length of the sequence", self.height);
      visit(Field{.key = "variable_length",
                  .meaning = "Whether sequences may be shorter, each by a length of its own that "
                             "the data says; steps is the largest then"},
            self.variable_length);
    }
    if (!self.IsSpatial())
      return extent("features", "values", "Length of the vector, of each step's in a sequence",
                    self.channels);
    extent("channels", "", "Channels of the image or volume", self.channels);
    if (self.IsVolume())
      extent("depth", "pixels", "Depth of the volume: slices of a scan, frames of a video",
             self.depth);
    extent("height", "pixels", "Height of the image or volume", self.height);
    extent("width", "pixels", "Width of the image or volume", self.width);
  }
};

// What the values of one example are cut into, in this order, row-major: each of a model's inputs
// has a name, by which layers read it.
struct NamedInput {
  std::string name;
  InputType type;
  bool operator==(const NamedInput&) const = default;
};
int64_t ElementsOf(const std::vector<NamedInput>& inputs);

inline InputType FeedForward(int64_t features) { return {.channels = features}; }
inline InputType Image(int64_t channels, int64_t height, int64_t width) {
  return {.kind = InputKind::kImage, .channels = channels, .height = height, .width = width};
}
inline InputType Volume(int64_t channels, int64_t depth, int64_t height, int64_t width) {
  return {InputKind::kVolume, channels, depth, height, width};
}

// REQUIRES: as Image and FeedForward, extents that CheckInputType accepts.
inline InputType Sequence(int64_t steps, int64_t features) {
  return {.kind = InputKind::kSequence, .channels = features, .height = steps};
}
// Of 1 to `most_steps` steps.
inline InputType VariableSequence(int64_t most_steps, int64_t features) {
  InputType sequence = Sequence(most_steps, features);
  sequence.variable_length = true;
  return sequence;
}

// "784 features", "image 1x28x28", "volume 1x16x28x28", "128 steps of 65 features", "up to 128
// steps of 65 features"
std::string Describe(const InputType& type);

// Each extent from 1 to limits::kMaxExtent, and at most limits::kMaxExampleElements values in all.
Status CheckInputType(const InputType& type);

std::string_view TagOf(const InputType& type);  // "feed_forward", "image", ...
std::vector<InputType> DefaultsOf(const InputType*);
Json ToJson(const InputType& type);
void DescribeValue(const Field& field, const InputType& type, std::vector<KeyRow>& rows);
// Mistakes go to the reader; a wrong or incomplete object leaves a type that CheckInputType
// refuses.
InputType InputTypeFromJson(const Json& json, const std::string& path, JsonObjectReader& parent);
NamedInput NamedInputFromJson(const Json& json, const std::string& path, JsonObjectReader& parent);

}  // namespace dl::nn
