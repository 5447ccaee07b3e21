// Applies nn/conf/words.h to the enumerations of this namespace, so that argument-dependent lookup
// finds the functions that nn/conf/field.h requires for a member type.
#pragma once

#include "nn/conf/words.h"

namespace dl::job {

template <typename E>
struct WordsOf;  // static constexpr std::string_view kWords[]

template <typename E>
concept HasWords = requires {
  WordsOf<E>::kWords;
};

// Returns the word of an enumerator.
template <HasWords E>
constexpr std::string_view WordOf(E value) {
  return WordsOf<E>::kWords[static_cast<size_t>(value)];
}

template <HasWords E>
void ReadValue(JsonObjectReader& reader, std::string_view key, E& out) {
  out = static_cast<E>(nn::ReadWord(reader, key, WordsOf<E>::kWords, static_cast<size_t>(out)));
}
template <HasWords E>
auto ToJson(E value) {
  return nn::JsonOfWord(WordOf(value));
}
template <HasWords E>
void CheckValue(const nn::Field&, E, nn::Mistakes&) {}
template <HasWords E>
void DescribeValue(const nn::Field& field, E value, std::vector<nn::KeyRow>& rows) {
  nn::DescribeWord(field, WordsOf<E>::kWords, static_cast<size_t>(value), rows);
}

}  // namespace dl::job
