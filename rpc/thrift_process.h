// Process-wide settings of Thrift: its log and SIGPIPE.
#pragma once

namespace dl::rpc {

// Sends Thrift's log lines to the debug log (it writes one for every peer that disconnects), and
// turns writes to a closed connection into errors instead of signals. Every server and client must
// call it. Idempotent, thread-safe.
void PrepareThrift();

}  // namespace dl::rpc
