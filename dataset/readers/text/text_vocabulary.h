// The vocabulary of a language model. A training split stores it as the class names of its schema
// (dataset/readers/text/text_reader.h), and the unit of tokens is derived from it.
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

// Returns the unit of the tokens: bytes if the names are all 256 bytes as two hexadecimal digits,
// words if <unk> is first, else characters, with <unk> and <mask> allowed. Returns nullopt if the
// names are not a vocabulary of texts, and for bytes with <mask>.
std::optional<job::TextUnit> UnitOfVocabulary(const std::vector<std::string>& vocabulary);

// Returns the indices of the tokens in the vocabulary. Tokens that the vocabulary lacks become
// <unk>. If it has no <unk>, returns InvalidArgument with the place of the first of them.
StatusOr<std::vector<int32_t>> IndicesIn(const std::vector<std::string>& vocabulary,
                                         const TextTokens& read);

// Returns the text of a token when it is appended to `before`, the end of the text so far. A word
// is preceded by a space, except at the start of a line. <eos> is a line end. REQUIRES: the token
// is in a vocabulary of this unit.
std::string TokenText(std::string_view token, job::TextUnit unit, std::string_view before);

}  // namespace dl::dataset
