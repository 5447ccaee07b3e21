// limits::kLongStep, scaled to the machine on which the test runs.
#pragma once

#include "base/clock.h"

namespace dl::master {

// The limit was chosen on an idle AMD EPYC (Zen 4), where the most expensive events take half of
// it. On slower or busy machines the limit is scaled, by at most a factor of four: by the time that
// a fixed amount of similar work (maps, strings, vectors) takes there.
Duration LongStepHere();

}  // namespace dl::master
