// The reasons for states of jobs, in words.
#pragma once

#include <string>
#include <string_view>

namespace dl::web {

// Returns the text for a reason in the JSON of a job: "Loads its state" for "loading_state".
// Returns `reason` itself if it is unknown, for example because the master is newer. Returns "" for
// "".
std::string ReasonText(std::string_view reason);

}  // namespace dl::web
