// Writes the body of a response piece by piece.
#pragma once

#include <string_view>

namespace dl::web {

class StreamWriter {
 public:
  virtual ~StreamWriter() = default;
  // Sends a piece, and waits until the system has taken it. Sends nothing if the piece is empty.
  // Returns false if the client has closed the connection or does not read for
  // HttpOptions::body_deadline, or if the server stops. Also returns false if the body becomes
  // longer than HttpResponse::length. The caller must then return.
  virtual bool Write(std::string_view piece) = 0;
  // Returns true if the server stops. The caller must then return.
  virtual bool stopping() const = 0;
};

}  // namespace dl::web
