// Records which units the slots of an executor compute. A fatal signal writes the record to a small
// file. The next process with this file reports the crashed unit to the master: the unit of the
// thread that raised the signal, or all running units if another thread raised it. This prevents a
// unit that crashes every executor from being leased forever. A killed process (SIGKILL, power
// loss) writes nothing, so it is no evidence against any unit. Slots never wait for the file's
// disk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/ids.h"
#include "base/status.h"
#include "rpc/messages.h"

namespace dl::executor {

// Different slots may call Begin and End concurrently, each for its own slot on its own thread.
class CrashNote {
 public:
  // Reads the note of the previous process, if there is one, and begins an empty note. A damaged
  // note counts as empty. Installs handlers for SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT, which
  // write the note and then let the signal end the process. SIGALRM ends it if the disk does not
  // take the note within kWriteSeconds. Returns the error of the file system on failure. At most
  // one note may be open per process.
  static StatusOr<std::unique_ptr<CrashNote>> Open(const std::string& path);
  static constexpr int kWriteSeconds = 10;
  ~CrashNote();

  // Returns the units that may have caused the fatal signal that ended the previous process.
  const std::vector<rpc::CrashedUnit>& left() const { return left_; }

  // Records that the slot computes the lease's unit on the calling thread. Slots above number 1,023
  // are not recorded.
  void Begin(int32_t slot, const rpc::Lease& lease);
  // Records that the slot computes nothing.
  void End(int32_t slot);

 private:
  struct Layout;
  static std::vector<rpc::CrashedUnit> UnitsIn(const Layout& layout);
  CrashNote(FileDescriptor file, std::unique_ptr<Layout> layout,
            std::vector<rpc::CrashedUnit> left);

  const FileDescriptor file_;
  const std::unique_ptr<Layout> layout_;
  const std::vector<rpc::CrashedUnit> left_;
};

}  // namespace dl::executor
