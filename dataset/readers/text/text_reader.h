// Reads plain text as examples for language models.
#pragma once

#include <optional>

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "dataset/schema.h"
#include "job/sources/text.h"

namespace dl::dataset {

// The tokens of all files, concatenated, are divided into windows. Example k has the tokens [k
// stride, k stride + steps) as features, a sequence with one feature, and the next token of each as
// its label. At most `stride` tokens at the end are in no window.
//
// With mask_probability > 0, the label of a token is the token itself, and the vocabulary ends with
// <mask>.
//
// Features and labels are indices in the vocabulary. The vocabulary is stored as the class names of
// the schema; a test split uses that of its training split.
//
// The vocabulary, by unit:
//   - character: the characters that occur, by code point. With unknown_character token, <unk>
//     follows and stands for characters that the training split lacks; otherwise these are errors.
//   - word: texts between white space, and <eos> for each line end. <unk> is first and stands for
//     words that the vocabulary lacks. The other words are sorted by frequency, then by bytes, up
//     to vocabulary_size.
//   - byte: all 256 bytes, as two hexadecimal digits.
// A byte order mark at the start of a file is skipped, except for `byte`. With at most 256 tokens
// in the vocabulary, features are stored as bytes.
//
// Holds all tokens in memory. Returns InvalidArgument
//   - with file, line and column: for bytes that are not UTF-8 (except for `byte`), for a word or
//     line that is too long, for too many tokens, and for an unknown character.
//   - with the first file: for a text of at most `steps` tokens, for too many distinct tokens, and
//     for a test split that does not fit its training split, for example with another unit.
// Also returns the errors of SourcePaths, SourceFile and SpillFeatures.
StatusOr<ExampleTable> ReadText(const job::TextSource& source, const ReadOptions& options = {});

// Returns the unit of the tokens if the examples of this schema are texts. Returns nullopt for
// other examples.
std::optional<job::TextUnit> UnitOfText(const Schema& schema);

}  // namespace dl::dataset
