// Writes the body of a response piece by piece.
#pragma once

#include <string_view>

namespace dl::web {

class StreamWriter {
 public:
  virtual ~StreamWriter() = default;
  // Sends a piece, and waits until the system has taken it. Returns false if the client has closed
  // the connection, does not read, or the server stops. The writer must then return.
  virtual bool Write(std::string_view piece) = 0;
  // Returns true if the server stops. The writer must then return.
  virtual bool stopping() const = 0;
};

}  // namespace dl::web
