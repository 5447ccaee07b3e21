#include "executor/crash_note.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/file_descriptor.h"
#include "base/limits.h"
#include "base/system_error.h"

namespace dl::executor {

// The content of the file. Plain bytes, so an old or damaged file can be read safely.
struct CrashNote::Layout {
  static constexpr uint64_t kMagic = 0x34304554'4f4e4c44;  // "DLNOTE04"
  static constexpr int32_t kSlots = limits::kMaxSlots;
  struct Slot {
    std::atomic<uint32_t> busy;
    uint32_t kind;
    int64_t round;
    uint64_t lease, ticket;
    int32_t index;
    char job[limits::kMaxJobName + 33];  // job id: name and number
    char spec_sha256[64];
  };
  uint64_t magic;
  std::atomic<int32_t> signal;  // signal that ended the process; 0: none
  std::atomic<int32_t> slot;    // slot whose thread raised it; -1: no slot
  Slot slots[kSlots];
};

namespace {

constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

// State of the signal handler.
struct Where {
  std::atomic<int32_t>*signal, *slot;
  const void* bytes;
  size_t size;
  int file;
};
Where note_of_this_process;
std::atomic<bool> note_is_open{false};
thread_local int32_t slot_of_this_thread = -1;

// Calls only functions that are safe in a signal handler. SA_RESETHAND restored the default action
// on entry, so the raised signal ends the process as usual. A signal that a thread causes is
// handled on that thread.
void RecordSignal(int signal) {
  if (note_is_open.load()) {
    const Where& note = note_of_this_process;
    note.slot->store(slot_of_this_thread);
    note.signal->store(signal);
    alarm(CrashNote::kWriteSeconds);
    if (pwrite(note.file, note.bytes, note.size, 0) < 0) errno = 0;  // the note stays empty
  }
  raise(signal);
}

template <size_t N>
std::string TextOf(const char (&bytes)[N]) {
  return std::string(bytes, strnlen(bytes, N));
}

std::string SignalName(int32_t signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? "a signal" : std::string("SIG") + name;
}

}  // namespace

CrashNote::CrashNote(FileDescriptor file, std::unique_ptr<Layout> layout,
                     std::vector<rpc::CrashedUnit> left)
    : file_(std::move(file)), layout_(std::move(layout)), left_(std::move(left)) {
  note_of_this_process = {.signal = &layout_->signal,
                          .slot = &layout_->slot,
                          .bytes = layout_.get(),
                          .size = sizeof(Layout),
                          .file = file_.get()};
  note_is_open = true;
  struct sigaction action = {};
  action.sa_handler = RecordSignal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (int fatal : kFatal) ::sigaction(fatal, &action, nullptr);
}

CrashNote::~CrashNote() { note_is_open = false; }

std::vector<rpc::CrashedUnit> CrashNote::UnitsIn(const Layout& layout) {
  std::vector<rpc::CrashedUnit> left;
  const int32_t signal = layout.magic == Layout::kMagic ? layout.signal.load() : 0;
  if (std::find(std::begin(kFatal), std::end(kFatal), signal) == std::end(kFatal)) return left;
  // Units in other slots did not crash. If the signal came from a helper thread, the slot is
  // unknown.
  const int32_t culprit = layout.slot.load();
  for (int32_t i = 0; i < Layout::kSlots; ++i) {
    const Layout::Slot& slot = layout.slots[i];
    if (slot.busy != 1 || (culprit >= 0 && culprit != i)) continue;
    rpc::CrashedUnit crashed{.spec_sha256 = TextOf(slot.spec_sha256),
                             .signal = SignalName(signal),
                             .lease = slot.lease,
                             .ticket = slot.ticket};
    crashed.unit = {.job = TextOf(slot.job),
                    .kind = slot.kind == static_cast<uint32_t>(UnitKind::kEvaluate)
                                ? UnitKind::kEvaluate
                                : UnitKind::kTrain,
                    .round = slot.round,
                    .index = slot.index};
    left.push_back(std::move(crashed));
  }
  return left;
}

StatusOr<std::unique_ptr<CrashNote>> CrashNote::Open(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.valid()) return CreationError(errno, "open", path);
  // Reserve the space now: on a full disk the note could not be written after a crash.
  if (const int error = ::posix_fallocate(file.get(), 0, sizeof(Layout)); error != 0) {
    return SystemError(error, "make room in", path);
  }
  auto layout = std::make_unique<Layout>();
  if (::pread(file.get(), layout.get(), sizeof(Layout), 0) < 0)
    return SystemError(errno, "read", path);
  std::vector<rpc::CrashedUnit> left = UnitsIn(*layout);
  layout = std::make_unique<Layout>();
  layout->magic = Layout::kMagic;
  if (::pwrite(file.get(), layout.get(), sizeof(Layout), 0) < 0)
    return SystemError(errno, "write", path);
  return std::unique_ptr<CrashNote>(
      new CrashNote(std::move(file), std::move(layout), std::move(left)));
}

void CrashNote::Begin(int32_t slot, const rpc::Lease& lease) {
  if (slot < 0 || slot >= Layout::kSlots) return;
  const UnitId& unit = lease.unit;
  Layout::Slot& note = layout_->slots[slot];
  note.busy = 0;
  note.kind = static_cast<uint32_t>(unit.kind);
  note.round = unit.round;
  note.index = unit.index;
  note.lease = lease.lease;
  note.ticket = lease.ticket;
  unit.job.copy(note.job, sizeof(note.job) - 1);
  note.job[std::min(unit.job.size(), sizeof(note.job) - 1)] = '\0';
  lease.spec_sha256.copy(note.spec_sha256, sizeof(note.spec_sha256));
  note.busy = 1;
  slot_of_this_thread = slot;
}

void CrashNote::End(int32_t slot) {
  if (slot >= 0 && slot < Layout::kSlots) layout_->slots[slot].busy = 0;
  slot_of_this_thread = -1;
}

}  // namespace dl::executor
