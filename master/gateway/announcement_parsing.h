// Parses announcements outside of the core's thread.
#pragma once

#include "master/core/job/announcement.h"
#include "rpc/messages.h"

namespace dl::master {

// If the metrics cannot be parsed or are too large, Announcement::metrics holds the error. Pure
// function; thread-safe.
Announcement ParseAnnouncement(rpc::AnnounceRequest said);

}  // namespace dl::master
