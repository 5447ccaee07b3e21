#include "cli/output/event_output.h"

#include <ostream>

#include "base/printable.h"
#include "cli/interrupts.h"
#include "cli/output/json_fields.h"

namespace dl::cli {
namespace {

constexpr Duration kBarPause = std::chrono::milliseconds(100);
constexpr Duration kLinePause = std::chrono::seconds(30);
constexpr Duration kLongWait = std::chrono::seconds(3);
// Columns that stay free, because a terminal prints "^C" after the bar and wraps a full line.
constexpr int kRoomForKeys = 3;
constexpr char kClear[] = "\r\x1b[K";
const std::string kClearAndRestore = std::string(kClear) + TerminalTitle::kRestore;

}  // namespace

EventOutput::EventOutput(Options options)
    : options_(options),
      last_shown_(options.clock->Now()),
      title_(options.title == Options::Title::kOn ? options.progress : nullptr) {}

EventOutput::~EventOutput() {
  ClearBar();
  title_.Restore();
  WriteOnExit(nullptr);
}

void EventOutput::ClearBar() {
  if (!bar_drawn_) return;
  *options_.progress << kClear << std::flush;
  bar_drawn_ = false;
  WriteOnExit(title_.is_shown() ? TerminalTitle::kRestore : nullptr);
}

void EventOutput::Note(const std::string& line) {
  if (options_.style == EventStyle::kJson || options_.style == EventStyle::kNone) return;
  ClearBar();
  *options_.progress << PrintableText(line) << std::endl;
}

bool EventOutput::IsAtEpochEnd(const Json& checkpoint) const {
  return IntegerAt(checkpoint, "round") == epoch_round_;
}

// Returns false for states that were shown before, as when a job continues after an interruption.
bool EventOutput::IsNewState(const Json& event) {
  const std::string state = TextAt(event, "state"), message = TextAt(event, "message");
  if (state == "PAUSED" || state == "WAITING" || !message.empty()) return true;
  return shown_states_.insert(state).second;
}

void EventOutput::ShowText(const Json& event) {
  const std::string type = TextAt(event, "type");
  if (type == "epoch") epoch_round_ = IntegerAt(event, "round");
  if (type == "state" && !IsNewState(event)) return;
  const auto show = [&](const Json& shown) {
    const bool bar = options_.style == EventStyle::kBar;
    const std::string line = bar ? RenderEvent(shown, options_.columns() - 1) : RenderEvent(shown);
    if (!line.empty()) Note(line);
  };
  // The checkpoint of an epoch's end may be written before the epoch is evaluated, or long after
  // it.
  if (!pending_checkpoint_.is_null()) {
    if (!IsAtEpochEnd(pending_checkpoint_)) show(pending_checkpoint_);
    pending_checkpoint_ = Json();
  }
  if (type == "checkpoint") {
    if (!IsAtEpochEnd(event)) pending_checkpoint_ = event;
    return;
  }
  show(event);
}

void EventOutput::ShowTrouble(const Json& event) {
  const std::string type = TextAt(event, "type"), state = TextAt(event, "state");
  if (type == "warning" || state == "FAILED" || state == "REJECTED") Note(RenderEvent(event));
  if (type != "state") return;
  const bool waits = (state == "QUEUED" || state == "WAITING") && !TextAt(event, "message").empty();
  wait_ = waits ? event : Json();
  waits_since_ = options_.clock->Now();
}

void EventOutput::ShowLongWait() {
  if (wait_.is_null() || options_.clock->Now() - waits_since_ < kLongWait) return;
  Note(RenderEvent(wait_));
  wait_ = Json();
}

void EventOutput::Show(const Json& event) {
  if (const int64_t sequence = IntegerAt(event, "seq"); sequence > 0) last_sequence_ = sequence;
  const bool result = TextAt(event, "type") == "result";
  progress_.Apply(event);
  if (options_.style == EventStyle::kNone || result) {
    if (result) ClearBar();
    return;
  }
  if (options_.style == EventStyle::kQuiet) return ShowTrouble(event);
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
  ShowText(event);
  const Instant now = options_.clock->Now();
  if (now - last_shown_ < (bar ? kBarPause : kLinePause) || progress_.rounds == 0) return;
  last_shown_ = now;
  if (bar) {
    *options_.progress << "\r"
                       << PrintableName(RenderBar(progress_, options_.columns() - kRoomForKeys))
                       << "\x1b[K" << std::flush;
    bar_drawn_ = true;
    title_.Show(progress_.job, static_cast<int>(100 * progress_.round / progress_.rounds));
    WriteOnExit(title_.is_shown() ? kClearAndRestore.c_str() : kClear);
  } else {
    *options_.progress << PrintableText(RenderLine(progress_)) << std::endl;
  }
}

}  // namespace dl::cli
