// Keys of StateNames, an object in log records and checkpoint records.
#pragma once

#include "master/core/job/round_log.h"

namespace dl::master {

// See base/document_keys.h.
inline constexpr auto kStateNamesKeys = [](auto& keys, auto& names) {
  keys.Value("sha256", names.state_sha256, {.required = true});
  keys.Value("parts", names.parts, {.required = true});
};

}  // namespace dl::master
