// The version of Paravane: of its programs, its library and its documents' writers.
#pragma once

namespace dl::launch {

inline constexpr char kVersion[] = "0.2.0";

}  // namespace dl::launch
