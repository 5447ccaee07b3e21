// limits::kLongStep, as it is on the machine that the test runs on.
#pragma once

#include "base/clock.h"

namespace dl::master {

// The bound was chosen on a quiet AMD EPYC, Zen 4, where the dearest events take half of it. Older
// and busier machines take longer for everything alike: by as much as a fixed piece of work of the
// core's kind (maps, strings, vectors) takes longer, the bound is longer there, up to four times.
Duration LongStepHere();

}  // namespace dl::master
