// Reads plain text as examples for language models.
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/sources/text.h"

namespace dl::dataset {

// The tokens of all files, concatenated, are divided into windows. Example k has the tokens [k
// stride, k stride + steps) as features, a sequence with one feature, and the next token of each as
// its label. The tokens after the last complete window, fewer than stride + 1, are in no example.
//
// With mask_probability > 0, the label of a token is the token itself, and the vocabulary ends with
// <mask>.
//
// Features and labels are indices in the vocabulary. The vocabulary is stored as the class names of
// the schema; a test split uses that of its training split.
//
//   character  the characters that occur, by code point. With unknown_character token, <unk>
//   follows
//              and stands for characters that the training split lacks; otherwise these are errors.
//              A byte order mark at the start of a file is skipped.
//   word       texts between white space, and <eos> for the end of each line. <unk> is first and
//              stands for words that the vocabulary lacks. The other words are sorted by frequency,
//              then by bytes.
//   byte       all 256 bytes, as two hexadecimal digits
//
// Holds all tokens in memory. Errors name the file, line and column: bytes that are not UTF-8
// (except for `byte`), and a word that is too long. A text shorter than one example is also an
// error.
StatusOr<ExampleTable> ReadText(const job::TextSource& source, const ReadOptions& options = {});

}  // namespace dl::dataset
