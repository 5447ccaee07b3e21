// Members of configs that are enumerators, and strings (words) in JSON. The header of an
// enumeration E specializes WordsOf<E>: kWords[i] is the word of the enumerator with the value i.
// This header then provides the functions that nn/conf/field.h requires for the type of a member.
// REQUIRES: the enumerators of E have the values 0, 1, 2, ... and each has a word.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"

namespace dl::nn {

template <typename E>
struct WordsOf;  // static constexpr std::string_view kWords[]

template <typename E>
concept HasWords = requires {
  WordsOf<E>::kWords;
};

template <HasWords E>
constexpr std::string_view WordOf(E value) {
  return WordsOf<E>::kWords[static_cast<size_t>(value)];
}

// Returns the enumerator with that word, or nullopt.
template <HasWords E>
constexpr std::optional<E> FromWord(std::string_view word) {
  for (size_t i = 0; i < std::size(WordsOf<E>::kWords); ++i) {
    if (WordsOf<E>::kWords[i] == word) return static_cast<E>(i);
  }
  return std::nullopt;
}

// Returns the index in `words` of the key's value. Returns `present` if the key is absent. If the
// value is not one of `words`, adds a mistake to `reader` and returns `present`. REQUIRES:
// `present` is an index of `words`.
size_t ReadWord(JsonObjectReader& reader, std::string_view key,
                std::span<const std::string_view> words, size_t present);
// Appends the row of a key whose value is one of `words`. The default is words[present].
void DescribeWord(const Field& field, std::span<const std::string_view> words, size_t present,
                  std::vector<KeyRow>& rows);
// Returns the word as a JSON string.
Json JsonOfWord(std::string_view word);

template <HasWords E>
void ReadValue(JsonObjectReader& reader, std::string_view key, E& out) {
  out = static_cast<E>(ReadWord(reader, key, WordsOf<E>::kWords, static_cast<size_t>(out)));
}
// Returns Json, which is an incomplete type here.
template <HasWords E>
auto ToJson(E value) {
  return JsonOfWord(WordsOf<E>::kWords[static_cast<size_t>(value)]);
}
template <HasWords E>
void CheckValue(const Field&, E, Mistakes&) {}
template <HasWords E>
void DescribeValue(const Field& field, E value, std::vector<KeyRow>& rows) {
  DescribeWord(field, WordsOf<E>::kWords, static_cast<size_t>(value), rows);
}

}  // namespace dl::nn
