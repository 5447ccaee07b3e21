#pragma once

namespace dl::launch {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace dl::launch
