// A stream for people: what is written to it goes on to another stream with its control characters
// escaped (base/printable.h).
#pragma once

#include <ostream>
#include <streambuf>

namespace dl::cli {

class PrintableStream final : public std::ostream {
 public:
  // `to` outlives it. A failed write fails this stream too.
  explicit PrintableStream(std::ostream& to);

 private:
  class Buffer final : public std::streambuf {
   public:
    explicit Buffer(std::ostream& to) : to_(to) {}

   protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* bytes, std::streamsize count) override;
    int sync() override;

   private:
    std::ostream& to_;
  };

  Buffer buffer_;
};

}  // namespace dl::cli
