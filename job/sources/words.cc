#include "job/sources/words.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_join.h"
#include "base/json.h"

namespace dl::job {

size_t ReadWord(JsonObjectReader& reader, std::string_view key,
                std::span<const std::string_view> words, size_t present) {
  std::string word(words[present]);
  reader.OneOf(key, word, words);
  return static_cast<size_t>(std::find(words.begin(), words.end(), word) - words.begin());
}

Json JsonOfWord(std::string_view word) { return word; }

void DescribeWord(const nn::Field& field, std::span<const std::string_view> words, size_t present,
                  std::vector<nn::KeyRow>& rows) {
  rows.push_back(nn::RowOf(field, nn::KeyType::kChoice, Json(words[present])));
  rows.back().choices = absl::StrJoin(std::vector<std::string>(words.begin(), words.end()), "|");
}

}  // namespace dl::job
