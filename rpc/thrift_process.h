// What Thrift shares in a process: its log and SIGPIPE.
#pragma once

namespace dl::rpc {

// Thrift's own lines ("send(): Broken pipe", one for every peer that leaves) go to the debug log,
// and a write to a dead peer is an error and not a signal. Idempotent, thread-safe; every server
// and client calls it.
void PrepareThrift();

}  // namespace dl::rpc
