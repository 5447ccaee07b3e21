// Reads whole files up to a limit, and replaces files so that a crash leaves the old or the new
// content. Errors of the operating system have the codes of base/system_error.h and name the path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "base/status.h"

namespace dl {

// Receives the next bytes of a file. Its error is returned by the function that calls it.
using ByteSink = absl::FunctionRef<Status(std::string_view)>;
// Passes the bytes of a file to a sink, in order and in pieces of any size, so that the whole
// content is never in memory.
using ByteContent = absl::FunctionRef<Status(ByteSink)>;

// Returns the content of the file. Returns ResourceExhausted if it is longer than `max_bytes`.
// Allocates while it reads and ignores the file's reported size, so it works with pipes and
// devices.
StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes);

// Creates or replaces the file. The bytes are durable under `path` when it returns OK: it writes
// and syncs a temporary file in the same folder, renames it and syncs the folder. After an error,
// `path` has the old content, or the new content if only the sync of the folder failed. A
// failed fsync is never retried. A symbolic link is replaced. Returns FailedPrecondition for a
// folder, pipe or device, and if the folder does not exist. Fail points: file.write, file.sync,
// file.rename.
Status AtomicWriteFile(const std::string& path, std::string_view bytes);
// Works like AtomicWriteFile, with the same errors, for content that only the owner may read. The
// new file has no other rights at any time.
Status AtomicWriteSecret(const std::string& path, std::string_view bytes);

// Writes to a path that a user names, following symbolic links. A regular or missing file is
// replaced as by AtomicWriteFile. Into other files (a pipe, a terminal, a device) the bytes are
// written as they come. Opening a named pipe waits for its reader. Returns an error of `content`
// unchanged.
Status WriteOutputFile(const std::string& path, ByteContent content);

// Makes changes of the folder's entries durable: created, renamed and removed files.
Status SyncFolder(const std::string& path);

// Creates the folder and its parents. Returns OK if it exists already.
Status CreateFolders(const std::string& path);
// Works like CreateFolders, with the same errors. If the folder itself is created, only its owner
// can access it; its new parents have ordinary rights.
Status CreateSecretFolder(const std::string& path);

}  // namespace dl
