// Position of the channel dimension of images and volumes in an array.
#pragma once

#include <cstdint>
#include <string_view>

#include "job/job_words.h"
#include "nn/conf/field.h"

namespace dl::job {

// kAuto: channels are first, and an array with channels that seem to be last is an error. The rule
// is in dataset/readers/array/channel_order.h.
enum class ArrayLayout : uint8_t { kAuto, kChannelsFirst, kChannelsLast };
template <>
struct WordsOf<ArrayLayout> {
  static constexpr std::string_view kWords[] = {"auto", "channels_first", "channels_last"};
};

inline constexpr nn::Field kLayoutField{
    .key = "layout",
    .meaning =
        "Axis of channels: `channels_first` = [n, c, h, w], `channels_last` = [n, h, w, c]; `auto` "
        "= first, and an array with channels that look last is an error"};

}  // namespace dl::job
