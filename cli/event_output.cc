#include "cli/event_output.h"

#include <ostream>

#include "cli/json_fields.h"

namespace dl::cli {
namespace {

constexpr Duration kBarPause = std::chrono::milliseconds(100);
constexpr Duration kLinePause = std::chrono::seconds(30);

}  // namespace

EventOutput::EventOutput(Options options) : options_(options), last_shown_(options.clock->Now()) {}

void EventOutput::ClearBar() {
  if (!bar_drawn_) return;
  *options_.progress << "\r\x1b[K" << std::flush;
  bar_drawn_ = false;
}

void EventOutput::Note(const std::string& line) {
  if (options_.style == EventStyle::kJson || options_.style == EventStyle::kNone) return;
  ClearBar();
  *options_.progress << line << std::endl;
}

void EventOutput::Show(const Json& event) {
  if (const int64_t sequence = IntegerAt(event, "seq"); sequence > 0) last_sequence_ = sequence;
  const bool result = TextAt(event, "type") == "result";
  progress_.Apply(event);
  if (options_.style == EventStyle::kNone || result) {
    if (result) ClearBar();
    return;
  }
  if (options_.style == EventStyle::kJson) {
    *options_.data << event.dump() << std::endl;
    return;
  }
  if (options_.style == EventStyle::kLog) {
    if (const std::string line = RenderLogLine(event); !line.empty())
      *options_.data << line << std::endl;
    return;
  }
  const bool bar = options_.style == EventStyle::kBar;
  const std::string line = bar ? RenderEvent(event, options_.columns() - 1) : RenderEvent(event);
  if (!line.empty()) Note(line);
  const Instant now = options_.clock->Now();
  if (now - last_shown_ < (bar ? kBarPause : kLinePause) || progress_.rounds == 0) return;
  last_shown_ = now;
  if (bar) {
    *options_.progress << "\r" << RenderBar(progress_, options_.columns() - 1) << "\x1b[K"
                       << std::flush;
    bar_drawn_ = true;
  } else {
    *options_.progress << RenderLine(progress_) << std::endl;
  }
}

}  // namespace dl::cli
