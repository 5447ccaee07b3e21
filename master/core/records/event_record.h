// Events of jobs as JSON, as they are stored ("event/ID/…", "round_event/ID/…") and reported.
// docs/operations/commands.md describes the JSON.
#pragma once

#include <string>

#include "master/core/views/job_event.h"

namespace dl::master {

// Returns the stored form of the event, which has the sequence number.
std::string RecordText(const JobEvent& event);
// Returns the event for subscribers. This is the stored form, but the event with the result of the
// job (ResultView) has no sequence number, as documented for scripts.
std::string EventLine(const JobEvent& event);

}  // namespace dl::master
