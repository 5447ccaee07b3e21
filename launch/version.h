// The version of Paravane: of its programs, its library and its documents' writers.
#pragma once

namespace dl::launch {

inline constexpr char kVersion[] = "0.2.0";

// The day of the version, which manual pages name.
inline constexpr char kVersionDate[] = "2026-11-30";

}  // namespace dl::launch
