#include "web/documents/timeline_pages.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/limits.h"
#include "rpc/client_messages.h"

namespace dl::web {
namespace {

constexpr int64_t kMaxRounds = 500;

}  // namespace

StatusOr<TimelinePages> ReadTimelinePages(rpc::ClientService& master,
                                          const TimelinePagesWanted& wanted) {
  int64_t next = 0;
  const auto read = [&](int64_t first, int64_t last) -> StatusOr<Json> {
    DL_ASSIGN_OR_RETURN(
        const rpc::QueryReply reply,
        master.Query(
            {.what = rpc::QueryKind::kTimeline, .job = wanted.job, .first = first, .last = last},
            limits::kControlDeadline));
    next = reply.next_first;
    return ParseJson(reply.json, wanted.job);
  };
  // An answer without rounds names the recorded ones.
  DL_ASSIGN_OR_RETURN(const Json recorded, read(INT64_MAX, 1));
  TimelinePages pages;
  pages.newest = recorded.value("last", int64_t{0});
  pages.oldest = std::max<int64_t>(1, recorded.value("first", int64_t{1}));
  const int64_t last = wanted.last > 0 ? std::min(wanted.last, pages.newest) : pages.newest;
  if (last < pages.oldest) return pages;
  const int64_t rounds =
      std::clamp<int64_t>(wanted.leases / std::max<int64_t>(1, wanted.workers), 1, kMaxRounds);
  pages.first = std::max(pages.oldest, last - rounds + 1);
  pages.last = last;
  for (next = pages.first; next > 0;) {
    const int64_t from = next;
    DL_ASSIGN_OR_RETURN(Json answer, read(from, last));
    pages.answers.push_back(std::move(answer));
    if (next <= from) break;
  }
  return pages;
}

}  // namespace dl::web
