// Whole files: read with a limit, replaced so that a crash leaves the old one or the new one.
// Errors name the path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "base/status.h"

namespace dl {

// Takes a file's next bytes. An error of it goes back to who called, by whoever calls it.
using ByteSink = absl::FunctionRef<Status(std::string_view)>;
// Hands a file's bytes to a sink, in order and in pieces of any size, so that nobody holds them
// all.
using ByteContent = absl::FunctionRef<Status(ByteSink)>;

// ResourceExhausted when the file is longer than `max_bytes`; nothing is allocated beyond what was
// read. Pipes and devices work (their size is not believed).
StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes);

// When it returns OK, `bytes` are durable under `path`: a temporary file beside it, fsync, rename,
// fsync of the folder. On an error `path` is as it was. A failed fsync is never retried. A link
// there is replaced, and never a folder, a pipe or a device: FailedPrecondition. Fail points:
// file.write, file.sync, file.rename.
Status AtomicWriteFile(const std::string& path, std::string_view bytes);
// The same for what nobody but its owner may read: the file is never there with other rights.
Status AtomicWriteSecret(const std::string& path, std::string_view bytes);

// For a path that a user names: what its links lead to is written. A regular file, or none, is
// replaced as AtomicWriteFile does; into anything else (a pipe, a terminal, a device) the bytes are
// written, as they come. Opening a named pipe waits for its reader. An error of `content` is
// returned as it is.
Status WriteOutputFile(const std::string& path, ByteContent content);

// Makes entries of the folder durable (created, renamed, removed files).
Status SyncFolder(const std::string& path);

// The folder and those above it; OK when it exists already.
Status CreateFolders(const std::string& path);
// The same; the folder itself, where it is made, is open to its owner alone.
Status CreateSecretFolder(const std::string& path);

}  // namespace dl
