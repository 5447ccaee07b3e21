// Rules for the traces that dl-submit writes from timelines.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace dl::test {

// Expects that the text is a trace: events of a lane follow one another, each lane and process has
// a name, and all units are inside of their round or evaluation. Returns the events of units.
std::vector<Json> ExpectIsTrace(const std::string& text);

}  // namespace dl::test
