#include "dataset/readers/array/channel_order.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace dl::dataset {
namespace {

// Returns whether the channels seem to be last: they are few, and fewer than rows and columns. If
// there are one, three or four channels, images may be small.
bool LooksChannelsLast(const std::vector<int64_t>& shape) {
  if (shape.size() < 3) return false;
  constexpr int64_t kFewChannels = 16, kSmallSide = 8;
  const int64_t last = shape.back();
  const bool is_usual = last == 1 || last == 3 || last == 4;
  const bool has_sides =
      shape.size() == 3 && shape[0] >= kSmallSide && shape[1] >= kSmallSide && last <= kFewChannels;
  return (is_usual || has_sides) && shape[0] > last && shape[1] > last;
}

}  // namespace

StatusOr<std::vector<int64_t>> ShapeInOrder(const std::vector<int64_t>& shape,
                                            job::ArrayLayout layout) {
  const std::string shown = absl::StrJoin(shape, "x");
  if (layout == job::ArrayLayout::kAuto && LooksChannelsLast(shape)) {
    return InvalidArgument(
        {.message =
             absl::StrCat("has examples of ", shown, ": these look like images with ", shape.back(),
                          shape.back() == 1 ? " channel" : " channels",
                          " in the last place, but would be read with ", shape[0], " channels"),
         .remedy = "Set layout to \"channels_last\", or to \"channels_first\" if the first extent "
                   "is the channels"});
  }
  if (layout != job::ArrayLayout::kChannelsLast) return shape;
  if (shape.size() < 3) {
    return InvalidArgument(
        {.message = absl::StrCat("has examples of ", shown,
                                 ", which cannot have channels in the last place"),
         .remedy = "Leave layout out, or save images as [n, h, w, c]"});
  }
  std::vector<int64_t> in_order = {shape.back()};
  in_order.insert(in_order.end(), shape.begin(), shape.end() - 1);
  return in_order;
}

}  // namespace dl::dataset
