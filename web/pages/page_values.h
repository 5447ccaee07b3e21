// Adds members that a page needs to the page's document, because templates cannot compute them. The
// document's own members do not change.
#pragma once

#include "base/json_fwd.h"
#include "security/role.h"

namespace dl::web {

// Adds to each object of the tree
//
// - "is_WORD": true, for its texts "state", "reason", "kind", "type", "severity" and "metric". WORD
//   is the text in lower case ("is_running")
// - "NAME_list": [{"key", "value"}], for its members that are maps, such as "metrics"
void AddPageValues(Json& document);

// The user of a page, and the rights of this user.
struct PageUser {
  security::Identity identity;
  bool read_only = false;  // the server performs no actions

  bool may_submit() const;
  bool may_act() const { return may_submit(); }
};

// Returns {"owner", "role", "may_submit", "may_act", "is_admin"}.
Json ToJson(const PageUser& user);

// Adds to the document of a job "is_live", "is_ended", "has_rounds", and "eta_seconds" if it is
// known. Adds "may_cancel", "may_pause", "may_resume", "may_checkpoint" and "may_delete": whether
// the job's state allows the action, and the user may act and owns the job or is an admin. Adds
// "has_priority" to its "scheduling".
void AddJobValues(Json& job, const PageUser& user);

}  // namespace dl::web
