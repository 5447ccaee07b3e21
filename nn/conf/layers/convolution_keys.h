// Keys that all convolutions have.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

inline constexpr Field kFiltersField{.key = "filters",
                                     .what = "the number of filters",
                                     .min = 1,
                                     .max = limits::kMaxExtent,
                                     .presence = Field::Presence::kRequired,
                                     .meaning = "Output channels"};
inline constexpr Field kGroupsField{.key = "groups",
                                    .what = "the number of groups",
                                    .min = 1,
                                    .max = limits::kMaxExtent,
                                    .meaning =
                                        "Groups of channels that do not see each other; 1 "
                                        "by default, required for group_norm"};
inline constexpr Field kDilationField{
    .key = "dilation",
    .what = "the dilation's",
    .unit = "pixels",
    .min = 1,
    .max = limits::kMaxWindow,
    .meaning =
        "From one value under the kernel to the next along each axis, or one number for all; 1 = "
        "neighbours, the default"};

}  // namespace dl::nn
