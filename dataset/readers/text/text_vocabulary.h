// The vocabulary of a language model: the texts of its tokens, by index. A training split stores it
// as the class names of its schema (dataset/readers/text/text_reader.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "dataset/readers/text/text_tokens.h"
#include "job/sources/text.h"

namespace dl::dataset {

// Returns the unit of the tokens in a vocabulary:
//   - bytes, if it has all 256 bytes in order, as two hexadecimal digits, and then at most <mask>;
//   - words, if <unk> is first;
//   - otherwise characters, if each entry is a single character, <unk> or <mask>.
// Returns nullopt for an empty list and for any other list.
std::optional<job::TextUnit> UnitOfVocabulary(const std::vector<std::string>& vocabulary);

// Returns the index in the vocabulary for each token that `read` has. Tokens that the vocabulary
// lacks become <unk>. If the vocabulary has no <unk>, returns InvalidArgument with the place of the
// first token that it lacks.
StatusOr<std::vector<int32_t>> IndicesIn(const std::vector<std::string>& vocabulary,
                                         const TextTokens& read);

// Returns the text that a token adds to a text that ends with `before`; "" is the start of a text.
//   - byte: the byte that the two hexadecimal digits of the token name.
//   - word: the word, after a space unless it begins a line. <eos> gives a line end.
//   - character: the character.
// <unk> and <mask> are added like words or characters. REQUIRES: the token is in a vocabulary of
// this unit.
std::string TokenText(std::string_view token, job::TextUnit unit, std::string_view before);

}  // namespace dl::dataset
