#include "cli/flags.h"

#include <algorithm>
#include <map>

#include "CLI/CLI.hpp"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "cli/exit_code.h"

namespace dl::cli {

struct Flags::State {
  State(std::string program, std::string summary) : app(std::move(summary), std::move(program)) {}
  CLI::App app;
  std::vector<std::string> names;
  std::vector<Argument> arguments;
  std::map<std::string, std::string> elsewhere;  // name -> remedy
  std::vector<std::string>* rest = nullptr;
  bool help = false;

  // Remembers the names of a flag.
  void AddArgument(const std::string& text, Argument argument) {
    argument.names = absl::StrSplit(text, ',');
    names.insert(names.end(), argument.names.begin(), argument.names.end());
    arguments.push_back(std::move(argument));
  }
};

namespace {

CLI::Validator NotEmpty() {
  return CLI::Validator(
      [](const std::string& text) { return text.empty() ? "the value is empty" : std::string(); },
      "");
}

CLI::Validator WholeNumber(int64_t min, int64_t max) {
  return CLI::Validator(
      [min, max](const std::string& text) {
        const bool number = text.find_first_not_of("0123456789", text.starts_with("-") ? 1 : 0) ==
                                std::string::npos &&
                            !text.empty() && text != "-";
        if (!number) return absl::StrCat("\"", text, "\" is no whole number");
        int64_t value = 0;
        if (absl::SimpleAtoi(text, &value) && value >= min && value <= max) return std::string();
        return max == INT64_MAX ? absl::StrCat(text, " is not between ", min, " and 2^63 - 1")
                                : absl::StrCat(text, " is not between ", min, " and ", max);
      },
      "");
}

// For a smaller number without a unit, the unit was probably forgotten.
constexpr int64_t kMinPlainBytes = 1 << 20;

// Replaces "8G" by the number of bytes. Returns an error message, or "".
std::string ReadBytes(std::string& text) {
  constexpr std::string_view kSuffixes = "kmgt";
  const std::string given = absl::AsciiStrToLower(text);
  const size_t digits = std::min(given.find_first_not_of("0123456789"), given.size());
  std::string_view suffix = std::string_view(given).substr(digits);
  if (suffix.ends_with("b")) suffix.remove_suffix(1);
  if (suffix.size() == 2 && suffix.ends_with("i")) suffix.remove_suffix(1);
  const size_t power = suffix.empty() ? 0 : kSuffixes.find(suffix) + 1;  // 0 if not found
  if (digits == 0 || suffix.size() > 1 || (suffix.size() == 1 && power == 0))
    return absl::StrCat("\"", text, "\" is no size; give a whole number, as 512M or 8G");
  int64_t value = 0;
  if (!absl::SimpleAtoi(given.substr(0, digits), &value) || value > INT64_MAX >> (10 * power))
    return absl::StrCat(text, " is more bytes than can be counted");
  if (suffix.empty() && given.size() == digits && value > 0 && value < kMinPlainBytes)
    return absl::StrCat(text, " has no unit; write ", text, "G or ", text, "M, as 512M or 8G");
  text = absl::StrCat(value << (10 * power));
  return "";
}

// Returns a suggestion for a misspelled flag. Flags of one letter are all within edit distance 1,
// so only a difference in case is suggested for them.
std::string NearestFlag(const std::string& name, const std::vector<std::string>& names) {
  if (name.size() > 2) return DidYouMean(name, names);
  const std::string lower = absl::AsciiStrToLower(name);
  for (const std::string& known : names) {
    if (absl::AsciiStrToLower(known) == lower)
      return absl::StrCat("; did you mean \"", known, "\"?");
  }
  return "";
}

}  // namespace

Flags::Flags(std::string program, std::string summary)
    : state_(std::make_unique<State>(std::move(program), std::move(summary))) {
  CLI::App& app = state_->app;
  app.allow_extras();  // reported below, with a suggestion
  app.set_help_flag();
  Switch("-h,--help", state_->help, "Show this and exit");
}

Flags::~Flags() = default;

void Flags::Positional(const std::string& name, std::string& value, const std::string& help,
                       Need need) {
  CLI::Option* option = state_->app.add_option(name, value, help)->check(NotEmpty())->type_name("");
  if (need == Need::kRequired) option->required();
  state_->arguments.push_back({.kind = Argument::Kind::kPositional,
                               .names = {name},
                               .help = help,
                               .required = need == Need::kRequired});
}

void Flags::Positionals(const std::string& name, std::vector<std::string>& values,
                        const std::string& help) {
  state_->app.add_option(name, values, help)->check(NotEmpty())->type_name("")->required();
  state_->arguments.push_back({.kind = Argument::Kind::kPositional,
                               .names = {name},
                               .help = help,
                               .required = true,
                               .repeated = true});
}

void Flags::Text(const std::string& names, const std::string& metavar, std::string& value,
                 const std::string& help) {
  state_->AddArgument(names, {.metavar = metavar, .help = help});
  state_->app.add_option(names, value, help)->check(NotEmpty())->type_name(metavar);
}

void Flags::Choice(const std::string& names, const std::string& metavar, std::string& value,
                   std::vector<std::string> choices, const std::string& help) {
  state_->AddArgument(names, {.metavar = metavar, .help = help, .words = choices});
  const CLI::Validator one_of(
      [choices = std::move(choices)](const std::string& text) {
        if (std::find(choices.begin(), choices.end(), text) != choices.end()) return std::string();
        return absl::StrCat("\"", text, "\" is none of ", absl::StrJoin(choices, ", "),
                            DidYouMean(text, choices));
      },
      "");
  state_->app.add_option(names, value, help)->check(one_of)->type_name(metavar);
}

void Flags::Integer(const std::string& names, const std::string& metavar, int64_t& value,
                    const std::string& help, int64_t min, int64_t max) {
  state_->AddArgument(names, {.metavar = metavar, .help = help});
  // CLI11's Range is not used, because it replaces a number that is too long by the nearest valid
  // one.
  state_->app.add_option(names, value, help)->check(WholeNumber(min, max))->type_name(metavar);
}

StatusOr<int64_t> ParseSize(const std::string& text) {
  std::string bytes = text;
  const std::string mistake = ReadBytes(bytes);
  int64_t value = 0;
  if (mistake.empty() && absl::SimpleAtoi(bytes, &value)) return value;
  return InvalidArgument({.message = mistake});
}

void Flags::Bytes(const std::string& names, int64_t& value, const std::string& help) {
  state_->AddArgument(names, {.metavar = "BYTES", .help = help});
  state_->app.add_option(names, value, help)
      ->transform(CLI::Validator(ReadBytes, ""))
      ->type_name("BYTES");
}

void Flags::Switch(const std::string& names, bool& value, const std::string& help) {
  state_->AddArgument(names, {.kind = Argument::Kind::kSwitch, .help = help});
  state_->app.add_flag(names, value, help);
}

void Flags::List(const std::string& names, const std::string& metavar,
                 std::vector<std::string>& values, const std::string& help) {
  state_->AddArgument(names, {.metavar = metavar, .help = help, .repeated = true});
  state_->app.add_option(names, values, help)->allow_extra_args(false)->type_name(metavar);
}

void Flags::SetCompletions(const std::string& name, std::vector<std::string> words) {
  for (Argument& argument : state_->arguments) {
    if (std::ranges::find(argument.names, name) != argument.names.end())
      argument.words = std::move(words);
  }
}

const std::vector<Flags::Argument>& Flags::arguments() const { return state_->arguments; }

void Flags::SetRemainder(std::vector<std::string>& values) { state_->rest = &values; }

void Flags::AddForeignFlag(const std::string& names, const std::string& remedy) {
  for (const std::string& name : std::vector<std::string>(absl::StrSplit(names, ',')))
    state_->elsewhere[name] = remedy;
}

void Flags::Footer(const std::string& text) { state_->app.footer(text); }

bool Flags::help_wanted() const { return state_->help; }
std::string Flags::Help() const { return state_->app.help(); }

Status Flags::Parse(std::vector<std::string> words) {
  const std::string program = state_->app.get_name();
  const std::string see = absl::StrCat("See ", program, " --help");
  // Words are used in messages, records and JSON.
  for (const std::string& word : words) {
    if (IsUtf8(word)) continue;
    return UsageError(
        {.message = absl::StrCat("\"", absl::CHexEscape(word), "\" is not UTF-8 text"),
         .where = program,
         .remedy = "Write it in UTF-8, and rename files whose names are in another encoding"});
  }
  // Help is given for any other content of the line.
  for (const std::string& word : words) {
    if (word == "--") break;
    if (word == "-h" || word == "--help") {
      state_->help = true;
      return absl::OkStatus();
    }
  }
  Status failure;
  std::reverse(words.begin(), words.end());  // CLI11 expects the reverse order
  try {
    state_->app.parse(words);
  } catch (const CLI::ParseError& error) {
    failure = UsageError({.message = error.what(), .where = program, .remedy = see});
  }
  // Words that were not parsed. Words after "--" are not flags, and "--" itself is not a word.
  std::vector<std::string> left = state_->app.remaining();
  const auto flags_end = std::find(left.begin(), left.end(), "--");
  const size_t may_be_flags = flags_end - left.begin();
  if (flags_end != left.end()) left.erase(flags_end);
  // Reports an unknown flag first, because other errors may result from it.
  for (size_t i = 0; i < may_be_flags; ++i) {
    const std::string& word = left[i];
    if (!word.starts_with("-") || word == "-") continue;
    const std::string name = word.substr(0, word.find('='));
    const auto elsewhere = state_->elsewhere.find(name);
    const bool known = elsewhere != state_->elsewhere.end();
    return UsageError({.message = absl::StrCat("there is no flag ", name,
                                               known ? "" : NearestFlag(name, state_->names)),
                       .where = program,
                       .remedy = known ? elsewhere->second : see});
  }
  if (!failure.ok()) return failure;
  if (state_->rest != nullptr && may_be_flags < left.size()) {
    const auto begin = left.begin() + static_cast<std::ptrdiff_t>(may_be_flags);
    state_->rest->assign(begin, left.end());
    left.erase(begin, left.end());
  }
  if (!left.empty()) {
    return UsageError({.message = absl::StrCat("\"", left.front(), "\" is unexpected"),
                       .where = program,
                       .remedy = see});
  }
  return absl::OkStatus();
}

}  // namespace dl::cli
