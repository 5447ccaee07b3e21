#include "dataset/readers/table/total_word.h"

#include <set>

#include "absl/strings/ascii.h"

namespace dl::dataset {

bool IsTotalWord(const std::string& text) {
  static const std::set<std::string> kWords = {
      "total",   "totals",    "grand total", "subtotal", "sum",     "sums",
      "average", "avg",       "mean",        "total:",   "sum:",    "summe",
      "gesamt",  "insgesamt", "mittelwert",  "somme",    "moyenne", "media"};
  return kWords.contains(absl::AsciiStrToLower(text));
}

}  // namespace dl::dataset
