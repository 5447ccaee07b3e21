// Reads plain text as examples for language models.
#pragma once

#include <optional>

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "dataset/schema.h"
#include "job/sources/text.h"

namespace dl::dataset {

// Concatenates the tokens of all files and cuts them into windows. Example k is a sequence of one
// feature: the tokens [k stride, k stride + steps). The label of each token is the next token. At
// most `stride` tokens at the end are in no window. `stride` 0 means `steps`.
//
// With mask_probability > 0, the stored label of a token is the token itself, and the vocabulary
// ends with <mask>. Tokens are hidden when minibatches are read, other tokens in each epoch
// (dataset/token_masks.h).
//
// Features and labels are indices in the vocabulary. The vocabulary is stored as the class names of
// the schema. A test split uses the vocabulary of its training split.
//
// The vocabulary, by unit:
//   - character: the characters that occur, by code point. With unknown_character `token`, <unk> is
//     last and stands for characters that the training split lacks. With `error`, a test split must
//     not have these characters.
//   - word: texts between white space, and <eos> for each line end. <unk> is first and stands for
//     words that the vocabulary lacks. The other words are sorted by frequency, then by bytes, up
//     to vocabulary_size, which counts <unk> and <mask>.
//   - byte: all 256 bytes, as two hexadecimal digits.
// A byte order mark at the start of a file is skipped, except for `byte`. With at most 256 tokens
// in the vocabulary, features are stored as bytes.
//
// Holds all tokens in memory. Returns InvalidArgument
//   - with file, line and column: for bytes that are not UTF-8 (except for `byte`), for a word of
//     more than limits::kMaxWordBytes, for a line that is too long (TextTokens::Read), and for an
//     unknown character.
//   - for more than limits::kMaxTextTokens tokens, with file, line and column except for `byte`.
//   - with the file: for text in UTF-16 or UTF-32 (except for `byte`).
//   - with the first file: for a text of at most `steps` tokens, for too many distinct tokens, and
//     for a test split that does not fit its training split, for example with another unit.
// Also returns the errors of SourcePaths, SourceFile and SpillFeatures.
StatusOr<ExampleTable> ReadText(const job::TextSource& source, const ReadOptions& options = {});

// Returns the unit of the tokens if the examples of this schema are texts. Returns nullopt for
// other examples.
std::optional<job::TextUnit> UnitOfText(const Schema& schema);

}  // namespace dl::dataset
