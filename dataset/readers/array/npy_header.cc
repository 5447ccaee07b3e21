#include <charconv>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/printable.h"
#include "dataset/readers/array/npy_array.h"

namespace dl::dataset {
namespace {

constexpr char kTexts[] =
    "Save numbers: names of classes become numbers with names, y = numpy.unique(names, "
    "return_inverse=True)[1]; texts that hold numbers with astype('float64')";
constexpr std::string_view kSaveAgain = "Save the array again with numpy.save";
constexpr std::string_view kTypes =
    "Convert it first, for example with astype('float32'): float32, float64, bool, and whole "
    "numbers of 1 "
    "to 8 bytes are read";

Status BadHeader(std::string message, std::string_view remedy = kSaveAgain) {
  return InvalidArgument(
      {.message = absl::StrCat("the header ", message), .remedy = std::string(remedy)});
}

// Parses a dictionary of texts, truth values and tuples of whole numbers, as Python's repr() writes
// it.
class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  StatusOr<NpyHeader> Read() {
    DL_RETURN_IF_ERROR(Expect('{'));
    bool has_descr = false, has_order = false, has_shape = false;
    while (!Take('}')) {
      DL_ASSIGN_OR_RETURN(const std::string key, Text());
      DL_RETURN_IF_ERROR(Expect(':'));
      bool* has = key == "descr"           ? &has_descr
                  : key == "fortran_order" ? &has_order
                  : key == "shape"         ? &has_shape
                                           : nullptr;
      if (has == nullptr) return BadHeader(absl::StrCat("has the key \"", Excerpt(key), "\""));
      if (*has) return BadHeader(absl::StrCat("has ", key, " twice"));
      *has = true;
      if (has == &has_descr) DL_RETURN_IF_ERROR(ReadDescr());
      if (has == &has_order) DL_RETURN_IF_ERROR(ReadOrder());
      if (has == &has_shape) DL_RETURN_IF_ERROR(ReadShape());
      if (Take(',')) continue;
      DL_RETURN_IF_ERROR(Expect('}'));
      break;
    }
    Skip();
    if (at_ != text_.size()) return BadHeader("continues after its dictionary");
    for (const auto& [has, key] :
         {std::pair(has_descr, "descr"), std::pair(has_order, "fortran_order"),
          std::pair(has_shape, "shape")}) {
      if (!has) return BadHeader(absl::StrCat("lacks ", key));
    }
    return header_;
  }

 private:
  void Skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool Take(char sign) {
    Skip();
    if (at_ == text_.size() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }
  bool TakeWord(std::string_view word) {
    Skip();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  Status Expect(char sign) {
    if (Take(sign)) return absl::OkStatus();
    return BadHeader(absl::StrCat("has no \"", std::string(1, sign), "\" at its byte ", at_));
  }

  StatusOr<std::string> Text() {
    Skip();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"')
      return BadHeader(absl::StrCat("has no text at its byte ", at_));
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return BadHeader("has a text that does not end");
    const std::string_view text = text_.substr(at_ + 1, end - at_ - 1);
    if (text.find('\\') != std::string_view::npos) return BadHeader("has a backslash in a text");
    at_ = end + 1;
    return std::string(text);
  }

  Status ReadDescr() {
    Skip();
    if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '(')) {
      return BadHeader("says that its values are records with fields",
                       "Save the features as one array of numbers, and the labels as another");
    }
    DL_ASSIGN_OR_RETURN(const std::string descr, Text());
    const auto no_type = [&] {
      const size_t at = descr.find_first_not_of("<>=|");
      const bool are_texts = at != std::string::npos &&
                             (std::string_view("SUO").find(descr[at]) != std::string_view::npos);
      return BadHeader(absl::StrCat("says that its values are of type \"", Excerpt(descr),
                                    "\", which is not read"),
                       are_texts ? kTexts : kTypes);
    };
    if (descr.size() != 3) return no_type();
    const char order = descr[0], kind = descr[1];
    const int64_t bytes = descr[2] - '0';
    const bool known =
        (kind == 'f' && (bytes == 4 || bytes == 8)) || (kind == 'b' && bytes == 1) ||
        ((kind == 'i' || kind == 'u') && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8));
    // Values of one byte have no byte order.
    if (!known || !(order == '<' || order == '>' || (order == '|' && bytes == 1))) return no_type();
    header_.kind = kind;
    header_.item_bytes = bytes;
    header_.big_endian = order == '>' && bytes > 1;
    return absl::OkStatus();
  }

  Status ReadOrder() {
    if (TakeWord("True")) {
      header_.fortran_order = true;
    } else if (!TakeWord("False")) {
      return BadHeader("has a fortran_order that is neither True nor False");
    }
    return absl::OkStatus();
  }

  // Parses (), (3,), (3, 4), (3, 4,). Python 2 wrote 3L.
  Status ReadShape() {
    DL_RETURN_IF_ERROR(Expect('('));
    bool after_comma = true;
    while (!Take(')')) {
      if (!after_comma) return BadHeader("has a shape that is no tuple of whole numbers");
      Skip();
      int64_t extent = 0;
      const char* const begin = text_.data() + at_;
      const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
      if (error == std::errc::result_out_of_range)
        return BadHeader("has a shape that is too large");
      if (error != std::errc() || extent < 0)
        return BadHeader("has a shape that is no tuple of whole numbers");
      at_ += static_cast<size_t>(stop - begin);
      (void)(at_ < text_.size() && text_[at_] == 'L' && ++at_);
      header_.shape.push_back(extent);
      if (header_.shape.size() > 1 + limits::kMaxRank)
        return BadHeader(absl::StrCat("has more than ", 1 + limits::kMaxRank, " dimensions"),
                         "Reshape the array to rows, images or volumes");
      after_comma = Take(',');
    }
    // (3) is not a tuple but a number in parentheses.
    if (header_.shape.size() == 1 && !after_comma)
      return BadHeader("has a shape that is no tuple of whole numbers");
    return absl::OkStatus();
  }

  std::string_view text_;
  size_t at_ = 0;
  NpyHeader header_;
};

}  // namespace

StatusOr<NpyHeader> ParseNpyHeader(std::string_view text) { return Literal(text).Read(); }

}  // namespace dl::dataset
