// Adds members that a page needs to the page's document, because templates cannot compute them. The
// document's own members do not change.
#pragma once

#include <string_view>

#include "base/json_fwd.h"
#include "security/role.h"

namespace dl::web {

// Adds to each object of the tree
//
// - "is_WORD": true, for its members "state", "reason", "kind", "type", "severity" and "metric".
//   WORD is the text in lower case ("is_running"). Texts that are no single word are left out
// - "reason_text" (ReasonText), if it has the member "reason"
// - "NAME_list": [{"key", "value"}], for the members that are used as maps, such as "metrics"
//   (kMaps in the .cc file). Values that are lists or objects are left out
//
// and to each object with a remedy as data ("action") the sentence "remedy". `flags` follows each
// command in it (rpc/remedy_text.h).
void AddPageValues(Json& document, std::string_view flags);

// The user of a page, and the rights of this user.
struct PageUser {
  security::Identity identity;
  bool read_only = false;  // the server performs no actions

  bool may_submit() const;
  bool may_act() const { return may_submit(); }
};

// Returns {"owner", "role", "may_submit", "may_act", "is_admin"}.
Json ToJson(const PageUser& user);

// Adds to the document of a job "is_ended", "is_live" (neither ended nor interrupted), "has_rounds"
// and, if SecondsLeft() is known, "eta_seconds". Adds "may_cancel", "may_pause", "may_resume",
// "may_checkpoint" and "may_delete": whether the job's state and the user's rights allow the
// action. Only admins may act on jobs of other owners. Adds "has_priority" to its "scheduling".
void AddJobValues(Json& job, const PageUser& user);

}  // namespace dl::web
