// A stream for text: forwards everything to another stream with control characters escaped
// (base/printable.h).
#pragma once

#include <ostream>
#include <streambuf>

namespace dl::cli {

class PrintableStream final : public std::ostream {
 public:
  // `to` must outlive this stream. If a write to it fails, this stream fails as well.
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
