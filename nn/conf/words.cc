#include "nn/conf/words.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_join.h"
#include "base/json.h"

namespace dl::nn {

size_t ReadWord(JsonObjectReader& reader, std::string_view key,
                std::span<const std::string_view> words, size_t present) {
  std::string word(words[present]);
  reader.OneOf(key, word, words);
  return static_cast<size_t>(std::find(words.begin(), words.end(), word) - words.begin());
}

Json JsonOfWord(std::string_view word) { return word; }

void DescribeWord(const Field& field, std::span<const std::string_view> words, size_t present,
                  std::vector<KeyRow>& rows) {
  rows.push_back(RowOf(field, KeyType::kChoice, Json(words[present])));
  rows.back().choices = absl::StrJoin(std::vector<std::string>(words.begin(), words.end()), "|");
}

}  // namespace dl::nn
