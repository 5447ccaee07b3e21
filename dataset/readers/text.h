// Plain text as examples for language models.
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/sources/text.h"

namespace dl::dataset {

// The tokens of all files, one behind the other, are cut into windows: example k has the tokens
// [k stride, k stride + steps) as its features, a sequence of one feature, and each has the token
// behind it as its label. What is left behind the last whole window is in no example: less than
// stride + 1 tokens.
//
// Features and labels are indices of the vocabulary, which becomes the schema's class names and is
// the training split's for a test split:
//
//   character  those that occur, by code point; then, with unknown_character token, <unk>, which
//              stands for those that the training split lacks; else these are errors. A
//              byte-order mark at a file's begin is none
//   word       what stands between white space, and <eos> for each line's end; <unk>, then the
//              others, the most frequent first, equally frequent ones by their bytes. <unk> stands
//              for words that the vocabulary lacks
//   byte       all 256, as two hexadecimal digits
//
// Holds all tokens in memory. Errors name the file, line and column: bytes that are not UTF-8 (but
// of `byte`), a word that is too long; and texts that are
// shorter than one example.
StatusOr<ExampleTable> ReadText(const job::TextSource& source, const ReadOptions& options = {});

}  // namespace dl::dataset
