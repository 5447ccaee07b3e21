// Events of jobs as JSON, as they are stored ("event/ID/…", "round_event/ID/…") and reported.
// docs/operations/commands.md describes the JSON.
#pragma once

#include <string>

#include "master/core/views/job_event.h"

namespace dl::master {

// The stored event. It always has a sequence number.
std::string RecordText(const JobEvent& event);
// The event for subscribers. A ResultView has no sequence number, as documented for scripts.
std::string EventLine(const JobEvent& event);

}  // namespace dl::master
