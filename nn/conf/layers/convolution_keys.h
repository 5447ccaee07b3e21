// Keys that all convolutions have. GroupNorm also uses kGroupsField.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

inline constexpr Field kFiltersField{.key = "filters",
                                     .what = "the number of filters",
                                     .min = 1,
                                     .max = limits::kMaxExtent,
                                     .presence = Field::Presence::kRequired,
                                     .meaning = "Number of output channels"};
inline constexpr Field kGroupsField{
    .key = "groups",
    .what = "the number of groups",
    .min = 1,
    .max = limits::kMaxExtent,
    .meaning = "Number of independent groups of channels. Default: 1; required for group_norm"};
// Messages name a number of one axis, for example "the dilation's height".
inline constexpr Field kDilationField{
    .key = "dilation",
    .what = "the dilation's",
    .unit = "pixels",
    .min = 1,
    .max = limits::kMaxWindow,
    .meaning =
        "Distance between kernel values along each axis, or one number for all axes. Default: 1"};

}  // namespace dl::nn
