// What may travel of a unit's error.
#pragma once

#include <string>

#include "base/limits.h"
#include "base/utf8.h"
#include "rpc/messages.h"

namespace dl::rpc {

// A report's texts say whatever went wrong, at whatever length; the report must arrive all the
// same. Cuts them to kMaxShortText bytes of UTF-8. The sender does it, and a master does it again
// for executors in its own process.
inline FailureReport CutToLimits(FailureReport report) {
  constexpr size_t kMax = limits::kMaxShortText;
  for (std::string* text : {&report.code, &report.message, &report.where, &report.remedy}) {
    // Twice: what repairs a byte has three.
    *text = std::string(Utf8Prefix(RepairUtf8(Utf8Prefix(*text, kMax)), kMax));
  }
  return report;
}

}  // namespace dl::rpc
