// The window of nn/conf/layers/window.h over the steps of a sequence. A sequence of T steps of C
// features is to it an image of C channels, T high and 1 wide.
#pragma once

#include "nn/conf/layers/window.h"

namespace dl::nn {

// One number in JSON.
struct Extent1D {
  int64_t steps = 0;
  bool operator==(const Extent1D&) const = default;
};
Json ToJson(const Extent1D& extent);
void ReadValue(JsonObjectReader& reader, std::string_view key, Extent1D& out);
void CheckValue(const Field& field, const Extent1D& extent, Mistakes& mistakes);
void DescribeValue(const Field& field, const Extent1D& extent, std::vector<KeyRow>& rows);

// As nn/conf/layers/window.h has it; in JSON one number, or "same".
struct Padding1D {
  int64_t steps = 0;
  bool same = false;  // then `steps` is of no meaning, and 0
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
  bool ceil_mode = false;  // of pooling alone
  bool operator==(const Window1D&) const = default;

  Window As2D() const;
  // Steps of the output; nullopt and a mistake where the kernel does not fit.
  std::optional<int64_t> OutputSteps(const InputType& input, Mistakes& mistakes) const;
  // Adds a mistake, and returns false, where sequences have lengths of their own and the window
  // would give them others. `steps_in_front`: zeros before the first step.
  bool KeepsLengths(const InputType& input, int64_t steps_in_front, Mistakes& mistakes) const;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(Named(kKernelField, "the kernel"), self.kernel);
    visit(Named(kStrideField, "the stride"), self.stride);
    visit(Named(kPaddingField, "the padding"), self.padding);
  }
  // The same key, of which a mistake says no height and width.
  static constexpr Field Named(Field field, std::string_view what) {
    field.what = what;
    return field;
  }
};

// Of a sequence, as its window sees it.
inline InputType AsImage(const InputType& sequence) {
  return Image(sequence.channels, sequence.Steps(), 1);
}

}  // namespace dl::nn
