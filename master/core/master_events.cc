#include "master/core/master_events.h"

#include "base/one_of_members.h"

namespace dl {

template class OneOf<master::AllEvents>;
template class OneOf<master::AllReplies>;
template class OneOf<master::AllEffects>;

namespace master {

bool MayLeaveAhead(const Effect& effect) {
  if (const auto* answer = std::get_if<Answer>(&effect))
    return std::holds_alternative<rpc::LeaseReply>(answer->reply);
  return std::holds_alternative<Publish>(effect) || std::holds_alternative<WriteCheckpoint>(effect);
}

}  // namespace master
}  // namespace dl
