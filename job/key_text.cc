#include "job/key_text.h"

#include <cmath>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "base/suggest.h"
#include "base/utf8.h"

namespace dl::job {
namespace {

using enum KeyType;

constexpr size_t kLongestText = 300;

std::string Shown(std::string_view text) {
  return absl::CHexEscape(std::string(text.substr(0, kLongestText)));
}

std::vector<std::string> WordsAmong(std::string_view words) {
  std::vector<std::string> list = absl::StrSplit(std::string(words), '|');
  std::erase(list, "");  // the empty choice is not a word
  return list;
}

// "avx2 or avx512", "a, b or c"
std::string Alternatives(std::vector<std::string> words) {
  const std::string last = words.back();
  words.pop_back();
  return words.empty() ? last : absl::StrCat(absl::StrJoin(words, ", "), " or ", last);
}

bool IsDigits(std::string_view text) {
  if (text.starts_with("-") || text.starts_with("+")) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string RemedyFor(const nn::KeyRow& key) {
  const std::string range = NumberRange(key);
  const std::string from = range.empty() ? "" : absl::StrCat(" from ", range);
  switch (key.type) {
    case kInteger:
      if (!key.choices.empty()) return "Use " + Alternatives(WordsAmong(key.choices));
      return "Give a whole number" + from;
    case kNumber:
      return "Give a number" + from;
    case kBool:
      return "Give true or false";
    case kChoice:
      return absl::StrCat("Use ", Alternatives(WordsAmong(key.choices)),
                          IsAmong(key.choices, "") ? ", or leave it out" : "");
    case kIntegerList:
      return absl::StrCat("Give one number for all, or JSON with each, like [2,2]",
                          key.choices.empty() ? "" : ", or ", std::string(key.choices));
    case kNumberList:
      return absl::StrCat("Give JSON, like [0.1,0.01]", key.choices.empty() ? "" : ", or ",
                          std::string(key.choices));
    case kStringList:
      return "Give JSON, like [\"a\",\"b\"]";
    case kStringOrList:
      return "Give a text, or JSON like [\"a\",\"b\"]";
    case kColumns:
      return "Give a name or an index, or JSON like [\"a\",3]";
    case kObject:
      return "Give JSON, like {\"type\":\"...\"}, or the type alone where it says all";
    case kObjectList:
      return "Give JSON, like [{\"type\":\"...\"}]";
    case kString:
    case kStringOrInteger:
      break;
  }
  return "Give text in UTF-8";
}

// Returns the key "type" of an object or of the entries of a list, or null if there is none.
const nn::KeyRow* TypeOf(const nn::KeyRow& object) {
  for (const nn::KeyRow& key : Keys()) {
    const std::string path(object.path);
    if (key.path == path + ".type" || key.path == path + "[].type") return &key;
  }
  return nullptr;
}

bool IsWord(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") ==
             std::string_view::npos &&
         !IsDigits(text.substr(0, 1)) && text != "true" && text != "false" && text != "null";
}

}  // namespace

bool IsAmong(std::string_view words, std::string_view word) {
  for (const std::string& known : std::vector<std::string>(absl::StrSplit(std::string(words), '|')))
    if (known == word) return true;
  return false;
}

nn::KeyRow EntryOf(const nn::KeyRow& list) {
  nn::KeyRow entry = list;
  entry.standard = "";
  const bool of_texts = list.type == kStringList || list.type == kStringOrList;
  // The words of a list of numbers stand for the whole list.
  if (list.type == kIntegerList || list.type == kNumberList) entry.choices = {};
  entry.type = list.type == kIntegerList  ? kInteger
               : list.type == kNumberList ? kNumber
               : list.type == kColumns    ? kStringOrInteger
               : of_texts                 ? kString
                                          : kObject;
  return entry;
}

StatusOr<Json> ValueFromText(const nn::KeyRow& key, std::string_view text) {
  const std::string value(text);
  const auto wrong = [&](std::string_view what) {
    return InvalidArgument({.message = absl::StrCat("\"", Shown(text), "\" is ", std::string(what)),
                            .remedy = RemedyFor(key)});
  };
  const auto out_of_range = [&] {
    return InvalidArgument(
        {.message = absl::StrCat(Shown(text), " is out of range"), .remedy = RemedyFor(key)});
  };
  const auto as_json = [&](std::string_view what) -> StatusOr<Json> {
    auto json = ParseJson(text, "");
    return json.ok() ? json : wrong(what);
  };
  if (value == "null" && key.standard == "null") return Json();
  int64_t integer = 0;
  uint64_t large = 0;
  double number = 0;
  switch (key.type) {
    case kInteger:
      if (!key.choices.empty() && !IsAmong(key.choices, value))
        return wrong(absl::StrCat("none of ", absl::StrJoin(WordsAmong(key.choices), ", ")));
      if (absl::SimpleAtoi(value, &integer)) return Json(integer);
      if (!IsDigits(value)) return wrong("not a whole number");
      if (!absl::SimpleAtoi(value, &large) || static_cast<double>(large) > key.max)
        return out_of_range();
      return Json(large);
    case kNumber:
      // "nan" and "inf" parse too, but JSON has no such numbers.
      if (!absl::SimpleAtod(value, &number)) return wrong("not a number");
      if (std::isfinite(number)) return Json(number);
      return value.find_first_of("0123456789") == std::string::npos ? wrong("not a number")
                                                                    : out_of_range();
    case kBool:
      if (value == "true" || value == "false") return Json(value == "true");
      return wrong("not true or false");
    case kChoice: {
      if (IsAmong(key.choices, value)) return Json(value);
      const std::vector<std::string> words = WordsAmong(key.choices);
      return wrong(absl::StrCat("none of ", absl::StrJoin(words, ", "), DidYouMean(value, words)));
    }
    case kStringOrInteger:
      if (absl::SimpleAtoi(value, &integer)) return Json(integer);
      [[fallthrough]];
    case kString:
      if (!IsUtf8(value)) return wrong("not valid UTF-8");
      return Json(value);
    case kIntegerList:
      if (!value.empty() && IsAmong(key.choices, value)) return Json(value);
      if (absl::SimpleAtoi(value, &integer)) return Json(integer);  // one number for all axes
      if (IsDigits(value)) return out_of_range();
      return as_json("not a whole number or a list of them");
    case kObject:
      if (const nn::KeyRow* type = TypeOf(key); type != nullptr && IsWord(value)) {
        DL_ASSIGN_OR_RETURN(Json word, ValueFromText(*type, text));
        return Json{{"type", std::move(word)}};
      }
      // A schedule may be a plain number. The reader decides where it is allowed.
      return as_json("not JSON");
    case kColumns:
      if (!value.starts_with("[")) return ValueFromText(EntryOf(key), text);
      return as_json("not a list of columns");
    case kStringOrList:
      // A file pattern may also begin with a bracket: "[ab].csv".
      if (!value.starts_with("[\"")) return ValueFromText(EntryOf(key), text);
      [[fallthrough]];
    case kStringList:
      return as_json("not a list of texts");
    case kNumberList:
      if (!value.empty() && IsAmong(key.choices, value)) return Json(value);
      return as_json("not a list of numbers");
    case kObjectList:
      return as_json("not a list of objects");
  }
  return Internal({.message = "this build cannot read keys of this type from text"});
}

}  // namespace dl::job
