#include "dataset/readers/text/text_tokens.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/limits.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "dataset/readers/foreign_format.h"
#include "dataset/readers/source_file.h"

namespace dl::dataset {
namespace {

// Returns the number of bytes of a character from its first byte.
size_t CharacterBytes(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

// Returns the number of bytes before the first byte that is not valid UTF-8.
size_t ValidUtf8(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t size = std::min(CharacterBytes(text[at]), text.size() - at);
    if (!IsUtf8(text.substr(at, size))) break;
    at += size;
  }
  return at;
}

bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

}  // namespace

TextTokens::TextTokens(job::TextUnit unit) : unit_(unit) {
  if (unit_ != job::TextUnit::kByte) return;
  for (int byte = 0; byte < 256; ++byte) {
    texts_.push_back(absl::StrFormat("%02x", byte));
    places_.emplace_back();
  }
}

Status TextTokens::Bad(const Place& place, std::string message, std::string remedy) const {
  return InvalidArgument({.message = std::move(message),
                          .where = absl::StrCat(place.path, ":", place.line, ":", place.column),
                          .remedy = std::move(remedy)});
}

Status TextTokens::Add(std::string_view text, const Place& place) {
  if (static_cast<int64_t>(tokens_.size()) == limits::kMaxTextTokens) {
    return Bad(place, absl::StrCat("the text has more than ", limits::kMaxTextTokens, " tokens"),
               "Train on a part of the text");
  }
  const auto [found, is_new] =
      numbers_.try_emplace(std::string(text), static_cast<int32_t>(texts_.size()));
  if (is_new) {
    texts_.emplace_back(text);
    places_.push_back(absl::StrCat(place.path, ":", place.line, ":", place.column));
  }
  tokens_.push_back(found->second);
  return absl::OkStatus();
}

Status TextTokens::AddBytes(std::string_view bytes) {
  if (static_cast<int64_t>(tokens_.size() + bytes.size()) > limits::kMaxTextTokens) {
    return InvalidArgument(
        {.message = absl::StrCat("the text has more than ", limits::kMaxTextTokens, " bytes"),
         .remedy = "Train on a part of the text"});
  }
  for (const char byte : bytes) tokens_.push_back(static_cast<unsigned char>(byte));
  return absl::OkStatus();
}

Status TextTokens::AddCharacters(std::string_view line, Place place) {
  while (!line.empty()) {
    const size_t size = std::min(CharacterBytes(line[0]), line.size());
    DL_RETURN_IF_ERROR(Add(line.substr(0, size), place));
    line.remove_prefix(size);
    place.column += static_cast<int64_t>(size);
  }
  return absl::OkStatus();
}

Status TextTokens::AddWords(std::string_view line, Place place) {
  const bool ends = line.ends_with(line_end_);
  if (ends) line.remove_suffix(1);
  while (!line.empty()) {
    const auto end =
        static_cast<size_t>(std::find_if(line.begin(), line.end(), IsSpace) - line.begin());
    if (end > limits::kMaxWordBytes) {
      return Bad(place, absl::StrCat("a word of ", end, " bytes"),
                 absl::StrCat("Put spaces between words, which have up to ", limits::kMaxWordBytes,
                              " bytes, or set unit to \"character\""));
    }
    if (end > 0) DL_RETURN_IF_ERROR(Add(line.substr(0, end), place));
    const size_t next = std::min(end + 1, line.size());
    line.remove_prefix(next);
    place.column += static_cast<int64_t>(next);
  }
  return ends ? Add(kLineEnd, place) : absl::OkStatus();
}

Status TextTokens::AddLine(std::string_view line, const Place& place) {
  // A byte order mark states the encoding of a file and is not part of its text.
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (place.line == 1 && line.starts_with(kByteOrderMark))
    line.remove_prefix(kByteOrderMark.size());
  if (!IsUtf8(line)) {
    Place at = place;
    at.column += static_cast<int64_t>(ValidUtf8(line));
    return Bad(at, "here stands no UTF-8 character",
               "Save the file as UTF-8, or set unit to \"byte\"");
  }
  return unit_ == job::TextUnit::kWord ? AddWords(line, place) : AddCharacters(line, place);
}

void TextTokens::RecordBegin(std::string_view begin, const std::string& path) {
  const bool has_lf = begin.find('\n') != std::string_view::npos;
  line_end_ = !has_lf && begin.find('\r') != std::string_view::npos ? '\r' : '\n';
  const std::string name = absl::AsciiStrToLower(path);
  for (const char* ending : {".csv", ".tsv", ".csv.gz", ".csv.zst"}) {
    if (!name.ends_with(ending)) continue;
    warnings_.push_back(absl::StrCat(PrintableName(path),
                                     " is a table by its name, and all of it is read as text, with "
                                     "its separators and its names of columns"));
  }
  const std::string_view what = RecognizeMarkup(begin.substr(0, kFormatBytes));
  if (what.empty()) return;
  warnings_.push_back(absl::StrCat(PrintableName(path), " is ", std::string(what),
                                   ", and its markup is read as text. If the model is to learn "
                                   "only what it says, save that as plain text"));
}

// Reads line by line, so that places have line numbers.
Status TextTokens::Read(const std::string& path) {
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path));
  Place place{.path = path};
  std::string held;
  for (bool more = true; more;) {
    const bool is_first = file.position() == 0;
    DL_ASSIGN_OR_RETURN(more, file.ReadOnto(held));
    if (is_first && unit_ != job::TextUnit::kByte) {
      if (const auto encoding = RecognizeEncoding(held, path))
        return ForeignFileError(*encoding, path);
      RecordBegin(held, path);
    }
    if (unit_ == job::TextUnit::kByte) {
      DL_RETURN_IF_ERROR(AddBytes(held));
      held.clear();
      continue;
    }
    size_t begin = 0;
    for (size_t end = held.find(line_end_); end != std::string::npos;
         end = held.find(line_end_, begin)) {
      DL_RETURN_IF_ERROR(AddLine(std::string_view(held).substr(begin, end + 1 - begin), place));
      ++place.line;
      place.column = 1;
      begin = end + 1;
    }
    held.erase(0, begin);
    if (!more && !held.empty()) DL_RETURN_IF_ERROR(AddLine(held, place));
    if (held.size() > limits::kMaxTextLineBytes) {
      return Bad(place, absl::StrCat("a line of more than ", limits::kMaxTextLineBytes, " bytes"),
                 "Break the text into lines, or set unit to \"byte\"");
    }
  }
  return absl::OkStatus();
}

Status TextTokens::ReadText(std::string_view text, const std::string& name) {
  if (unit_ == job::TextUnit::kByte) return AddBytes(text);
  for (Place place{.path = name}; !text.empty(); ++place.line) {
    const size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    DL_RETURN_IF_ERROR(AddLine(text.substr(0, size), place));
    text.remove_prefix(size);
  }
  return absl::OkStatus();
}

}  // namespace dl::dataset
