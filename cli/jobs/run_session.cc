#include "cli/jobs/run_session.h"

#include <ostream>

#include "launch/pause.h"

namespace dl::cli {

StatusOr<Session> OpenToRun(const Settings& settings, const SessionOptions& options,
                            Context& context, const Interrupts& interrupts) {
  constexpr Duration kPause = std::chrono::milliseconds(200);
  constexpr int kSure = 3;
  int unclear = 0;  // consecutive unclear looks
  for (bool told = false;;) {
    auto session = OpenSession(settings, options);
    if (!absl::IsFailedPrecondition(session.status())) return session;
    const FolderUse taken = FindFolderHolder(settings);
    const bool waits = taken.in_use_until == FolderUse::InUseUntil::kCommandEnds;
    // The holder may end while it is looked at, so the next look decides. If looks stay unclear,
    // a master stays there or another problem exists.
    unclear = waits ? 0 : unclear + 1;
    if (taken.in_use_until == FolderUse::InUseUntil::kStays || unclear == kSure) return session;
    if (!told && waits) {
      told = true;
      context.err << "waiting for " << taken.who << ", which computes in "
                  << ErrorWhere(session.status())
                  << "; with another --data-dir it would not have to be waited for" << std::endl;
    }
    if (interrupts.stop()) {
      return interrupts.WithSignal(
          Cancelled({.message = "interrupted while waiting for the data folder",
                     .where = ErrorWhere(session.status()),
                     .remedy = "Start it again, or use another --data-dir"}));
    }
    launch::Pause(kPause);
  }
}

}  // namespace dl::cli
