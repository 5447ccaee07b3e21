// Takes the body of a request piece by piece, for bodies that are too large for memory.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::web {

// Called by one thread at a time. If the connection ends early, or after an error of Write, the
// sink is destroyed without Finish. It must then discard what it has received. The destructor may
// run on the server's only thread for connections, so it must not wait.
class BodySink {
 public:
  virtual ~BodySink() = default;
  // Takes the next bytes of the body. Called on a thread that writes bodies, and may wait for a
  // disk. If it returns an error, the client gets it as the answer, and the rest of the body is not
  // read. Not called for an empty body.
  virtual Status Write(std::string_view piece) = 0;
  // Called once by the route after the last byte, on the thread that answers the request. Returns
  // the JSON document of the answer.
  virtual StatusOr<std::string> Finish() = 0;
};

}  // namespace dl::web
