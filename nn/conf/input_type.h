// The type of the values that flow between layers for one example: a vector, an image, a volume or
// a sequence. The batch dimension is not included.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/limits.h"
#include "base/status.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"
#include "nn/conf/step_lengths.h"

namespace dl::nn {

enum class InputKind : uint8_t { kFeedForward, kImage, kSequence, kVolume };

// A feed-forward type of n features has channels = n; its other extents are 1. An image is stored
// channels first (CHW, row-major), and a volume likewise (CDHW): its depth is the slices of a scan
// or the frames of a video. A sequence of T steps is [T, features], row-major: channels is the
// number of features and height the number of steps. In a sequence of variable length, an example
// has 1 to T steps. The rows after its last step are padding. The results for its own steps do not
// depend on them.
struct InputType {
  InputKind kind = InputKind::kFeedForward;
  int64_t channels = 0;
  int64_t depth = 1;  // only for a volume
  int64_t height = 1;
  int64_t width = 1;
  bool variable_length = false;  // only for a sequence
  // For sequences of variable length: computes the number of steps that an example has at this
  // place of the model from its number of steps in the data.
  StepLengths lengths = {};

  bool IsImage() const { return kind == InputKind::kImage; }
  bool IsVolume() const { return kind == InputKind::kVolume; }
  bool IsSequence() const { return kind == InputKind::kSequence; }
  // Returns whether the type is an image or a volume: channels first, each with its pixels.
  bool IsSpatial() const { return IsImage() || IsVolume(); }
  // Returns the number of values of one channel of an image or volume.
  int64_t Pixels() const { return depth * height * width; }
  // Returns the number of rows of features of one example: its steps for a sequence, otherwise 1.
  int64_t Steps() const { return IsSequence() ? height : 1; }
  // Returns the number of steps that an example with `length` steps in the data has at this place
  // of the model. Ignores `length` unless the type is a sequence of variable length.
  int64_t StepsOf(int64_t length) const { return variable_length ? lengths.Of(length) : Steps(); }
  // Returns the output type of a layer that maps each row to a row of `features` values.
  InputType WithRowsOf(int64_t features) const;
  // Returns the number of values of one example. REQUIRES: CheckInputType accepts the type (no
  // overflow).
  int64_t Elements() const { return channels * Pixels(); }
  // {n}, {channels, height, width}, {channels, depth, height, width} or {steps, features}.
  std::vector<int64_t> Shape() const;
  bool operator==(const InputType&) const = default;

  // Keys of the JSON object. CheckInputType checks their values.
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
                  .meaning = "Whether sequences may be shorter than `steps`. The data has the "
                             "length of each sequence"},
            self.variable_length);
    }
    if (!self.IsSpatial())
      return extent("features", "values", "Number of features, per step in a sequence",
                    self.channels);
    extent("channels", "", "Channels of the image or volume", self.channels);
    if (self.IsVolume())
      extent("depth", "pixels", "Depth of the volume: slices of a scan, frames of a video",
             self.depth);
    extent("height", "pixels", "Height of the image or volume", self.height);
    extent("width", "pixels", "Width of the image or volume", self.width);
  }
};

// An input of a model, with the name by which layers read it. The values of an example are divided
// among the inputs in their order, row-major.
struct NamedInput {
  std::string name;
  InputType type;
  bool operator==(const NamedInput&) const = default;
};
// Returns the number of values of one example in all inputs together.
int64_t ElementsOf(const std::vector<NamedInput>& inputs);

// The functions below return a type of these extents. REQUIRES: CheckInputType accepts the type.
inline InputType FeedForward(int64_t features) { return {.channels = features}; }
inline InputType Image(int64_t channels, int64_t height, int64_t width) {
  return {.kind = InputKind::kImage, .channels = channels, .height = height, .width = width};
}
inline InputType Volume(int64_t channels, int64_t depth, int64_t height, int64_t width) {
  return {InputKind::kVolume, channels, depth, height, width};
}
inline InputType Sequence(int64_t steps, int64_t features) {
  return {.kind = InputKind::kSequence, .channels = features, .height = steps};
}
// A sequence of 1 to `most_steps` steps.
inline InputType VariableSequence(int64_t most_steps, int64_t features) {
  InputType sequence = Sequence(most_steps, features);
  sequence.variable_length = true;
  return sequence;
}

// Returns "784 features", "image 1x28x28", "volume 1x16x28x28", "128 steps of 65 features" or "up
// to 128 steps of 65 features".
std::string Describe(const InputType& type);

// Returns InvalidArgument unless each extent is 1 to limits::kMaxExtent and the product at most
// limits::kMaxExampleElements.
Status CheckInputType(const InputType& type);

std::string_view TagOf(const InputType& type);  // "feed_forward", "image", ...
// DefaultsOf returns a type of each kind (nn/conf/typed_object.h). DescribeValue appends the rows
// of a key for the documentation of keys (nn/conf/field.h).
std::vector<InputType> DefaultsOf(const InputType*);
Json ToJson(const InputType& type);
void DescribeValue(const Field& field, const InputType& type, std::vector<KeyRow>& rows);
// Read an input. Mistakes are added to `parent`. If a mistake was added, the returned value must
// not be used.
InputType InputTypeFromJson(const Json& json, const std::string& path, JsonObjectReader& parent);
NamedInput NamedInputFromJson(const Json& json, const std::string& path, JsonObjectReader& parent);

}  // namespace dl::nn
