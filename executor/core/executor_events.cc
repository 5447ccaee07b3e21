#include "executor/core/executor_events.h"

#include "base/one_of_members.h"

namespace dl {

template class OneOf<executor::AllEvents>;
template class OneOf<executor::AllEffects>;

}  // namespace dl
