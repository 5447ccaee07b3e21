#include "rpc/thrift_process.h"

#include <thrift/Thrift.h>

#include <csignal>

#include "base/log.h"

namespace dl::rpc {

void PrepareThrift() {
  static const bool prepared = [] {
    std::signal(SIGPIPE, SIG_IGN);
    apache::thrift::GlobalOutput.setOutputFunction(
        [](const char* line) { LogDebug("thrift: ", line); });
    return true;
  }();
  static_cast<void>(prepared);
}

}  // namespace dl::rpc
