// Splits texts into tokens and numbers the distinct tokens in order of appearance. If the unit is a
// byte, the number of a token is the value of its byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "job/sources/text.h"

namespace dl::dataset {

inline constexpr std::string_view kLineEnd = "<eos>";     // end of a line, as a word
inline constexpr std::string_view kUnknown = "<unk>";     // unknown words and characters
inline constexpr std::string_view kMaskToken = "<mask>";  // tokens to be filled in

// Not thread-safe.
class TextTokens {
 public:
  explicit TextTokens(job::TextUnit unit);

  // Appends the tokens of a file. Returns the errors of SourceFile, and InvalidArgument for more
  // than limits::kMaxTextTokens tokens in all. Unless the unit is a byte, also returns
  // InvalidArgument for a text that is not UTF-8, for a word of more than limits::kMaxWordBytes,
  // and for a long line. The limit of a line is between limits::kMaxTextLineBytes and twice that.
  // Errors of SourceFile, and the error for UTF-16 and UTF-32, name the file. All others name
  // FILE:LINE:COLUMN, except the error for too many tokens if the unit is a byte: it names no file.
  Status Read(const std::string& path);
  // Appends the tokens of a text in memory. Lines may have any length. Returns the InvalidArgument
  // errors of Read for too many tokens, for text that is not UTF-8 and for long words. `name`
  // stands for the file in errors.
  Status ReadText(std::string_view text, const std::string& name);

  // tokens() has the number of each token of the text. texts() and places() have the text of each
  // number, and the place FILE:LINE:COLUMN where it first occurs. Lines and columns count from 1,
  // columns in bytes. For bytes, both lists always have 256 entries: texts are two hexadecimal
  // digits, and places are empty.
  const std::vector<int32_t>& tokens() const { return tokens_; }
  const std::vector<std::string>& texts() const { return texts_; }
  const std::vector<std::string>& places() const { return places_; }
  // Sentences about files that are written for programs, such as JSON and RTF, and about files
  // whose name is that of a CSV table. Read() adds them, unless the unit is a byte.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Place {
    const std::string& path;
    int64_t line = 1, column = 1;  // columns count bytes
  };
  Status Add(std::string_view text, const Place& place);
  // Finds the line end of a file by its first bytes, and whether it has markup.
  void RecordBegin(std::string_view begin, const std::string& path);
  Status AddBytes(std::string_view bytes);
  Status AddLine(std::string_view line, const Place& place);  // including its line end, if present
  Status AddCharacters(std::string_view line, Place place);
  Status AddWords(std::string_view line, Place place);
  Status Bad(const Place& place, std::string message, std::string remedy) const;

  const job::TextUnit unit_;
  std::vector<int32_t> tokens_;
  std::vector<std::string> texts_, places_, warnings_;
  char line_end_ = '\n';  // CR for a file that has no LF at its beginning
  absl::flat_hash_map<std::string, int32_t> numbers_;
};

}  // namespace dl::dataset
