// The tokens that a model of texts knows: a training split leaves them as its schema's class names
// (dataset/readers/text.h), and nothing else of how the text was cut.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "dataset/readers/text_tokens.h"
#include "job/sources/text.h"

namespace dl::dataset {

// What its tokens are: 256 bytes as two hexadecimal digits; words, of which <unk> is the first;
// else characters, and perhaps <unk> after them. nullopt for names that no text leaves.
std::optional<job::TextUnit> UnitOfVocabulary(const std::vector<std::string>& vocabulary);

// The indices of what was read. A token that the vocabulary lacks is <unk>, or, where the
// vocabulary has none, an error with the place where it came first.
StatusOr<std::vector<int32_t>> IndicesIn(const std::vector<std::string>& vocabulary,
                                         const TextTokens& read);

// How a token is written behind `before`, the end of the text so far: a word behind a space, unless
// a line begins; <eos> is a line's end. REQUIRES: the token is of a vocabulary of this unit.
std::string TokenText(std::string_view token, job::TextUnit unit, std::string_view before);

}  // namespace dl::dataset
