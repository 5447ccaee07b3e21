// The window of nn/conf/layers/window.h over the steps of a sequence. A sequence of T steps of C
// features is treated as an image of C channels, height T and width 1.
#pragma once

#include "nn/conf/layers/window.h"

namespace dl::nn {

// JSON form: a number.
struct Extent1D {
  int64_t steps = 0;
  bool operator==(const Extent1D&) const = default;
};
Json ToJson(const Extent1D& extent);
void ReadValue(JsonObjectReader& reader, std::string_view key, Extent1D& out);
void CheckValue(const Field& field, const Extent1D& extent, Mistakes& mistakes);
void DescribeValue(const Field& field, const Extent1D& extent, std::vector<KeyRow>& rows);

// Padding as in nn/conf/layers/window.h. JSON form: a number, or "same".
struct Padding1D {
  int64_t steps = 0;
  bool same = false;  // then `steps` is not used
  bool operator==(const Padding1D&) const = default;
};
Json ToJson(const Padding1D& padding);
void ReadValue(JsonObjectReader& reader, std::string_view key, Padding1D& out);
void CheckValue(const Field& field, const Padding1D& padding, Mistakes& mistakes);
void DescribeValue(const Field& field, const Padding1D& padding, std::vector<KeyRow>& rows);

struct Window1D {
  Extent1D kernel, stride;
  Padding1D padding = {};
  Extent1D dilation = {.steps = 1};
  bool ceil_mode = false;  // only for pooling
  bool operator==(const Window1D&) const = default;

  Window As2D() const;
  // Returns the number of steps of the output. Adds a mistake and returns nullopt if the kernel
  // does not fit.
  std::optional<int64_t> OutputSteps(const InputType& input, Mistakes& mistakes) const;
  // Returns the rule that gives the number of windows over a sequence of any length.
  // `steps_in_front` is the number of zero steps before the first step, without the padding.
  StepWindow WindowOver(int64_t steps_in_front) const;
  // Returns the output, a sequence of `steps` steps of `features`. For an input of variable length,
  // it has the lengths that WindowOver gives.
  InputType OutputOf(const InputType& input, int64_t steps_in_front, int64_t steps,
                     int64_t features) const;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(Named(kKernelField, "the kernel"), self.kernel);
    visit(Named(kStrideField, "the stride"), self.stride);
    visit(Named(kPaddingField, "the padding"), self.padding);
  }
  // Returns the same key with a name for error messages that does not mention height and width.
  static constexpr Field Named(Field field, std::string_view what) {
    field.what = what;
    return field;
  }
};

// Returns the image as which the window treats a sequence.
inline InputType AsImage(const InputType& sequence) {
  return Image(sequence.channels, sequence.Steps(), 1);
}

}  // namespace dl::nn
