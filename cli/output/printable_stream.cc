#include "cli/output/printable_stream.h"

#include "base/printable.h"

namespace dl::cli {

PrintableStream::PrintableStream(std::ostream& to) : std::ostream(nullptr), buffer_(to) {
  rdbuf(&buffer_);
}

PrintableStream::Buffer::int_type PrintableStream::Buffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char byte = traits_type::to_char_type(c);
  return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
}

std::streamsize PrintableStream::Buffer::xsputn(const char* bytes, std::streamsize count) {
  to_ << PrintableText(std::string_view(bytes, static_cast<size_t>(count)));
  return to_ ? count : 0;
}

int PrintableStream::Buffer::sync() { return to_.flush() ? 0 : -1; }

}  // namespace dl::cli
