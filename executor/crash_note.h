// What the slots of an executor compute, kept in a small mapped file that outlives the process.
// When a fatal signal ends it, the next process with that file tells the master which unit was
// under way in the thread that it came from, or which ones when it came from another thread: a unit
// that kills everybody who computes it must not be leased for ever. A process that was killed
// (SIGKILL, the machine's end) leaves no signal in the note and is no witness against a unit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/status.h"
#include "rpc/messages.h"

namespace dl::executor {

// Begin and End may be called by different slots at once, each for its own slot and on its thread.
class CrashNote {
 public:
  // Reads the note of the process before, if it left one, and begins an empty one. A note that
  // cannot be read counts as none. At most one per process; it installs handlers for SIGSEGV,
  // SIGBUS, SIGILL, SIGFPE and SIGABRT that write the note and let the signal end the process.
  // Errors: what the file system says.
  static StatusOr<std::unique_ptr<CrashNote>> Open(const std::string& path);
  ~CrashNote();

  // The units that a fatal signal which ended the process before may be the fault of.
  const std::vector<rpc::CrashedUnit>& left() const { return left_; }

  // Slots beyond 1,024 are not noted.
  void Begin(int32_t slot, const rpc::Lease& lease);
  void End(int32_t slot);

 private:
  struct Layout;
  CrashNote(Layout* layout, std::vector<rpc::CrashedUnit> left)
      : layout_(layout), left_(std::move(left)) {}

  Layout* layout_;  // mapped
  const std::vector<rpc::CrashedUnit> left_;
};

}  // namespace dl::executor
