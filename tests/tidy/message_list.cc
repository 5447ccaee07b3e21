#include "tests/tidy/message_list.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/tidy/code_words.h"

namespace dl::tidy {
namespace {

constexpr std::string_view kValue = "{}";

bool IsProduct(const SourceFile& file) {
  return IsCode(file) && file.path.find('/') != file.path.npos &&
         !absl::StartsWith(file.path, "tests/") && !absl::StartsWith(file.path, "bench/") &&
         !absl::StartsWith(file.path, "examples/");
}

// An expression of the source. `code` is the text with comments and strings blanked.
struct Expression {
  std::string_view text, code;

  Expression Part(size_t begin, size_t end) const {
    return {text.substr(begin, end - begin), code.substr(begin, end - begin)};
  }
};

int DepthStep(char c) {
  if (c == '(' || c == '[' || c == '{') return 1;
  return c == ')' || c == ']' || c == '}' ? -1 : 0;
}

// Returns where the expression at the beginning of `code` ends: before a comma, a semicolon or a
// closing bracket.
size_t EndOfExpression(std::string_view code) {
  int depth = 0;
  for (size_t i = 0; i < code.size(); ++i) {
    if (depth == 0 && (code[i] == ',' || code[i] == ';' || DepthStep(code[i]) < 0)) return i;
    depth += DepthStep(code[i]);
  }
  return code.size();
}

// Splits at a separator outside of brackets. A "::" is no separator.
std::vector<Expression> Split(const Expression& whole, char separator) {
  std::vector<Expression> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < whole.code.size(); ++i) {
    const char c = whole.code[i];
    depth += DepthStep(c);
    const bool is_scope = c == ':' && ((i > 0 && whole.code[i - 1] == ':') ||
                                       (i + 1 < whole.code.size() && whole.code[i + 1] == ':'));
    if (depth != 0 || c != separator || is_scope) continue;
    parts.push_back(whole.Part(begin, i));
    begin = i + 1;
  }
  parts.push_back(whole.Part(begin, whole.code.size()));
  return parts;
}

Expression WithoutBlanks(const Expression& whole) {
  const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  size_t begin = 0, end = whole.code.size();
  while (begin < end && is_blank(whole.code[begin])) ++begin;
  while (end > begin && is_blank(whole.code[end - 1])) --end;
  return whole.Part(begin, end);
}

// Returns the text of adjacent string literals; nothing if there is anything else.
std::optional<std::string> Literal(std::string_view text) {
  std::string literal;
  bool inside = false, any = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      inside = !inside;
      any = true;
    } else if (inside && text[i] == '\\' && i + 1 < text.size()) {
      const char escaped = text[++i];
      literal += escaped == 'n' ? '\n' : escaped;
    } else if (inside) {
      literal += text[i];
    } else if (std::isspace(static_cast<unsigned char>(text[i])) == 0) {
      return std::nullopt;
    }
  }
  return any ? std::optional(literal) : std::nullopt;
}

// Returns the arguments of the call if the expression is nothing but a call of the function.
std::optional<Expression> ArgumentsOf(const Expression& whole, std::string_view function) {
  if (!whole.code.starts_with(function) || whole.code.substr(function.size(), 1) != "(")
    return std::nullopt;
  const size_t begin = function.size() + 1;
  int depth = 1;
  for (size_t i = begin; i < whole.code.size(); ++i) {
    depth += DepthStep(whole.code[i]);
    if (depth > 0) continue;
    if (i + 1 != whole.code.size()) return std::nullopt;
    return whole.Part(begin, i);
  }
  return std::nullopt;
}

std::string Template(const Expression& expression);

std::string Joined(const std::vector<Expression>& parts) {
  std::string text;
  for (const Expression& part : parts) text += Template(part);
  return text;
}

std::string Template(const Expression& expression) {
  const Expression whole = WithoutBlanks(expression);
  if (auto literal = Literal(whole.text)) return *literal;
  if (const auto list = ArgumentsOf(whole, "absl::StrCat")) return Joined(Split(*list, ','));
  if (const auto list = ArgumentsOf(whole, "absl::StrFormat"))
    return Template(Split(*list, ',').front());
  if (const auto value = ArgumentsOf(whole, "std::string")) return Template(*value);
  if (const auto value = ArgumentsOf(whole, "")) return Template(*value);
  if (const auto choice = Split(whole, '?'); choice.size() > 1) {
    const size_t after = choice.front().code.size() + 1;
    const Expression rest = whole.Part(after, whole.code.size());
    const auto branches = Split(rest, ':');
    const size_t other = branches.front().code.size() + 1;
    if (branches.size() > 1)
      return absl::StrCat("[", Template(branches.front()), "|",
                          Template(rest.Part(other, rest.code.size())), "]");
  }
  if (const auto sum = Split(whole, '+'); sum.size() > 1) return Joined(sum);
  return std::string(kValue);
}

std::string WithSingleValues(std::string text) {
  while (absl::StrContains(text, "{}{}")) text = absl::StrReplaceAll(text, {{"{}{}", "{}"}});
  return text;
}

// A place in the source where a message or a remedy begins.
struct Form {
  std::string_view begin;  // the text before the expression
  int messages;            // index of the argument that is the message; -1: a remedy
};
constexpr Form kForms[] = {{".message = ", 0},    {".remedy = ", -1}, {"mistakes.Add(", 0},
                           {"mistakes_.Add(", 0}, {"AddError(", 1},   {"WithRemedy(", 2},
                           {"keys.Word(", 4},     {"keys.Check(", 2}};

void AppendMessage(const std::string& text, std::string& list) {
  if (text != kValue && !text.empty()) absl::StrAppend(&list, text, "\n");
}

void AppendRemedy(const std::string& text, std::string& list) {
  if (text != kValue && !text.empty()) absl::StrAppend(&list, "  try: ", text, "\n");
}

void AppendForm(const Form& form, Expression rest, std::string& list) {
  std::vector<std::string> arguments;
  while (true) {
    const size_t end = EndOfExpression(rest.code);
    arguments.push_back(WithSingleValues(Template(rest.Part(0, end))));
    if (end >= rest.code.size() || rest.code[end] != ',' || form.begin.front() == '.') break;
    rest = rest.Part(end + 1, rest.code.size());
  }
  if (form.messages < 0) return AppendRemedy(arguments.front(), list);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const int index = static_cast<int>(i);
    if (form.begin == "WithRemedy(" ? index == 1 : index == form.messages + 1)
      AppendRemedy(arguments[i], list);
    else if (index == form.messages)
      AppendMessage(arguments[i], list);
  }
}

std::string MessagesOf(const SourceFile& file) {
  std::string code = BlankCommentsAndStrings(file.text), list;
  // Quotes are kept, because they show where a string begins and ends.
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i] == '\n' || file.text[i] == '"') code[i] = file.text[i] == '"' ? '"' : ' ';
  }
  const Expression whole{file.text, code};
  for (size_t i = 0; i < code.size(); ++i) {
    for (const Form& form : kForms) {
      if (code.compare(i, form.begin.size(), form.begin) != 0) continue;
      AppendForm(form, whole.Part(i + form.begin.size(), code.size()), list);
    }
  }
  return list;
}

}  // namespace

std::map<std::string, std::string> ListMessages(const SourceTree& tree) {
  std::map<std::string, std::string> lists;
  for (const SourceFile& file : tree) {
    if (!IsProduct(file)) continue;
    const std::string messages = MessagesOf(file);
    if (messages.empty()) continue;
    const std::string path =
        absl::StrCat(kMessageFolder, "/", file.path.substr(0, file.path.find('/')), ".txt");
    absl::StrAppend(&lists[path], lists[path].empty() ? "" : "\n", "# ", file.path, "\n", messages);
  }
  return lists;
}

}  // namespace dl::tidy
