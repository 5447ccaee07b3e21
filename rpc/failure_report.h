// Limits on the texts of a failure report.
#pragma once

#include <string>

#include "base/limits.h"
#include "base/utf8.h"
#include "rpc/messages.h"

namespace dl::rpc {

// Shortens the report's texts to kMaxShortText bytes and replaces bytes that are not UTF-8, so that
// a report can always be sent. The client does this before sending. A master does it again, for
// executors in its own process.
inline FailureReport CutToLimits(FailureReport report) {
  constexpr size_t kMax = limits::kMaxShortText;
  for (std::string* text : {&report.code, &report.message, &report.where, &report.remedy}) {
    // Cut twice, because the repair may replace one byte by three.
    *text = std::string(Utf8Prefix(RepairUtf8(Utf8Prefix(*text, kMax)), kMax));
  }
  return report;
}

}  // namespace dl::rpc
