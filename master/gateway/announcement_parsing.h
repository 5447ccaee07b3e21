// Parses announcements outside of the core's thread.
#pragma once

#include "master/core/job/announcement.h"
#include "rpc/messages.h"

namespace dl::master {

// Returns the announcement in the form that the core accepts. If the metrics cannot be parsed or
// have too many classes, Announcement::metrics holds the error. Pure function; thread-safe.
Announcement ParseAnnouncement(rpc::AnnounceRequest said);

}  // namespace dl::master
