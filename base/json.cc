#include "base/json.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "base/suggest.h"

namespace dl {
namespace {

// Builds the document while it is parsed, so that duplicate keys, depth and size are detected
// early.
class StrictBuilder final : public Json::json_sax_t {
 public:
  bool null() override { return Fits(0) && Add(nullptr); }
  bool boolean(bool value) override { return Fits(0) && Add(value); }
  bool number_integer(number_integer_t value) override { return Fits(0) && Add(value); }
  bool number_unsigned(number_unsigned_t value) override { return Fits(0) && Add(value); }
  bool number_float(number_float_t value, const string_t&) override {
    return Fits(0) && Add(value);
  }
  bool string(string_t& text) override { return Fits(kText + text.size()) && Add(std::move(text)); }
  bool binary(binary_t&) override { return false; }  // JSON has none
  bool start_object(std::size_t) override { return Open(Json::object()); }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t) override { return Open(Json::array()); }
  bool end_array() override { return Close(); }
  bool key(string_t& name) override {
    if (!Fits(kMember + name.size())) return false;
    const auto [member, is_new] = open_.back()->emplace(name, nullptr);
    if (!is_new) problem_ = absl::StrCat("the key \"", name, "\" appears twice in one object");
    member_ = &*member;
    return is_new;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    problem_ = error.what();
    return false;
  }

  Json TakeRoot() { return std::move(root_); }
  const std::string& problem() const { return problem_; }

 private:
  // Approximate heap use of a value: two bytes of text can become a hundred.
  static constexpr size_t kText = 48, kContainer = 64, kMember = 96;

  bool Fits(size_t more) {
    bytes_ += sizeof(Json) + more;
    if (static_cast<int64_t>(bytes_) <= limits::kMaxJsonParsedBytes) return true;
    problem_ =
        absl::StrCat("its values would take more than ", limits::kMaxJsonParsedBytes >> 20, " MiB");
    return false;
  }
  // Returns where the next value belongs: at the end of an array, at the last key, or at the root.
  Json& Place() {
    if (open_.empty()) return root_;
    return open_.back()->is_array() ? open_.back()->emplace_back() : *member_;
  }
  bool Add(Json value) {
    Place() = std::move(value);
    return true;
  }
  bool Open(Json container) {
    if (std::ssize(open_) == limits::kMaxJsonDepth) {
      problem_ = absl::StrCat("nesting is deeper than ", limits::kMaxJsonDepth);
      return false;
    }
    if (!Fits(kContainer)) return false;
    Json& place = Place();
    place = std::move(container);
    open_.push_back(&place);  // stays valid: its parent grows only after it is closed
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Json*> open_;
  Json* member_ = nullptr;
  std::string problem_;
  size_t bytes_ = 0;
};

// Returns true for a whole number with too many digits, which the parser turns into a fraction.
bool IsTooLong(const Json& json) { return json.is_number_float() && json.get<double>() >= 9.2e18; }

std::string TypeWord(const Json& json) {
  if (json.is_number_float()) return "a fraction";
  if (json.is_number()) return "a whole number";
  return absl::StrCat("a value of type ", json.type_name());
}

}  // namespace

StatusOr<Json> ParseJson(std::string_view text, std::string_view source) {
  if (static_cast<int64_t>(text.size()) > limits::kMaxJsonBytes) {
    return InvalidArgument(
        {.message = absl::StrCat("a JSON document of ", text.size(), " bytes is over the limit of ",
                                 limits::kMaxJsonBytes),
         .where = std::string(source)});
  }
  StrictBuilder builder;
  if (Json::sax_parse(text.begin(), text.end(), &builder)) return builder.TakeRoot();
  std::string problem = builder.problem();
  // nlohmann's texts begin with "[json.exception.parse_error.101] ".
  if (auto end = problem.find("] "); problem.starts_with("[json.") && end != std::string::npos) {
    problem.erase(0, end + 2);
  }
  return InvalidArgument({.message = absl::StrCat("not valid JSON: ", problem),
                          .where = std::string(source),
                          .remedy = "Correct the document"});
}

std::string JsonText(const Json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

JsonObjectReader::JsonObjectReader(const Json& json, std::string path)
    : json_(json), path_(std::move(path)) {
  if (!json_.is_object()) AddError("", absl::StrCat("must be an object, is ", TypeWord(json_)));
}

std::string JsonObjectReader::PathOf(std::string_view key) const {
  if (key.empty()) return path_.empty() ? "the document" : path_;
  return path_.empty() ? std::string(key) : absl::StrCat(path_, ".", std::string(key));
}

const Json* JsonObjectReader::Take(std::string_view key) {
  known_.insert(std::string(key));
  if (!json_.is_object()) return nullptr;
  auto found = json_.find(std::string(key));
  return found == json_.end() ? nullptr : &*found;
}

bool JsonObjectReader::Has(std::string_view key) { return Take(key) != nullptr; }
const Json* JsonObjectReader::Child(std::string_view key) { return Take(key); }

void JsonObjectReader::Require(std::string_view key) {
  if (!Has(key)) AddError(key, "is missing");
}

void JsonObjectReader::AddError(std::string_view key, std::string message) {
  errors_.push_back(absl::StrCat(PathOf(key), ": ", message));
}

void JsonObjectReader::AddErrors(const Status& status) {
  if (!status.ok()) errors_.push_back(std::string(status.message()));
}

void JsonObjectReader::Int(std::string_view key, int64_t& out, IntRange range) {
  const Json* value = Take(key);
  if (value == nullptr) return;
  if (!value->is_number_integer()) {
    AddError(key, IsTooLong(*value)
                      ? absl::StrCat("is too large, must be from ", range.min, " to ", range.max)
                      : absl::StrCat("must be a whole number, is ", value->dump()));
    return;
  }
  const bool too_big = value->is_number_unsigned() && value->get<uint64_t>() > uint64_t{INT64_MAX};
  const int64_t number = too_big ? INT64_MAX : value->get<int64_t>();
  if (too_big || number < range.min || number > range.max) {
    AddError(key,
             absl::StrCat("is ", value->dump(), ", must be from ", range.min, " to ", range.max));
    return;
  }
  out = number;
}

void JsonObjectReader::Int32(std::string_view key, int32_t& out, IntRange range) {
  int64_t wide = out;
  range.min = std::max<int64_t>(range.min, INT32_MIN);
  range.max = std::min<int64_t>(range.max, INT32_MAX);
  Int(key, wide, range);
  out = static_cast<int32_t>(wide);
}

void JsonObjectReader::U64(std::string_view key, uint64_t& out) {
  const Json* value = Take(key);
  if (value == nullptr) return;
  if (!value->is_number_integer() || (!value->is_number_unsigned() && value->get<int64_t>() < 0)) {
    AddError(key, IsTooLong(*value)
                      ? absl::StrCat("is too large, must be from 0 to ", UINT64_MAX)
                      : absl::StrCat("must be a whole number of at least 0, is ", value->dump()));
    return;
  }
  out = value->get<uint64_t>();
}

void JsonObjectReader::Double(std::string_view key, double& out, DoubleRange range) {
  const Json* value = Take(key);
  if (value == nullptr) return;
  if (!value->is_number()) {
    AddError(key, absl::StrCat("must be a number, is ", value->dump()));
    return;
  }
  const double number = value->get<double>();
  if (!(number >= range.min && number <= range.max)) {
    AddError(key, absl::StrCat("is ", value->dump(), ", must be from ", Json(range.min).dump(),
                               " to ", Json(range.max).dump()));
    return;
  }
  out = number;
}

void JsonObjectReader::Bool(std::string_view key, bool& out) {
  const Json* value = Take(key);
  if (value == nullptr) return;
  if (!value->is_boolean()) {
    AddError(key, absl::StrCat("must be true or false, is ", value->dump()));
    return;
  }
  out = value->get<bool>();
}

void JsonObjectReader::String(std::string_view key, std::string& out) {
  const Json* value = Take(key);
  if (value == nullptr) return;
  if (!value->is_string()) {
    AddError(key, absl::StrCat("must be a string, is ", value->dump()));
    return;
  }
  out = value->get<std::string>();
}

void JsonObjectReader::OneOf(std::string_view key, std::string& out,
                             std::span<const std::string_view> allowed) {
  std::string text = out;
  const size_t errors_before = errors_.size();
  String(key, text);
  if (errors_.size() != errors_before || !Has(key)) return;
  std::vector<std::string> names(allowed.begin(), allowed.end());
  for (const std::string& name : names) {
    if (name == text) {
      out = text;
      return;
    }
  }
  AddError(key, absl::StrCat("is \"", text, "\", must be one of ", absl::StrJoin(names, ", "),
                             DidYouMean(text, names)));
}

void JsonObjectReader::IntList(std::string_view key, std::vector<int64_t>& out, IntRange range) {
  const Json* value = Take(key);
  if (value == nullptr) return;
  std::vector<int64_t> list;
  if (value->is_array()) {
    for (const Json& item : *value) {
      const bool too_big = item.is_number_unsigned() && item.get<uint64_t>() > uint64_t{INT64_MAX};
      if (!item.is_number_integer() || too_big) break;
      const int64_t number = item.get<int64_t>();
      if (number < range.min || number > range.max) {
        AddError(key, absl::StrCat("holds ", number, ", each must be from ", range.min, " to ",
                                   range.max));
        return;
      }
      list.push_back(number);
    }
  }
  if (!value->is_array() || list.size() != value->size()) {
    AddError(key, "must be a list of whole numbers");
    return;
  }
  out = std::move(list);
}

void JsonObjectReader::StringList(std::string_view key, std::vector<std::string>& out) {
  const Json* value = Take(key);
  if (value == nullptr) return;
  std::vector<std::string> list;
  if (value->is_array()) {
    for (const Json& item : *value) {
      if (item.is_string()) list.push_back(item.get<std::string>());
    }
  }
  if (!value->is_array() || list.size() != value->size()) {
    AddError(key, "must be a list of strings");
    return;
  }
  out = std::move(list);
}

void JsonObjectReader::Foreign(const ForeignKey& key) {
  ForeignTypes& foreign = foreign_[std::string(key.key)];
  foreign.type_key = key.type_key;
  foreign.types.push_back(absl::StrCat("\"", std::string(key.type), "\""));
}

std::string JsonObjectReader::ForeignText(const ForeignTypes& foreign) const {
  std::string types = foreign.types.back();
  if (foreign.types.size() > 1) {
    types = absl::StrCat(absl::StrJoin(foreign.types.begin(), std::prev(foreign.types.end()), ", "),
                         " or ", types);
  }
  std::string text = absl::StrCat("is a key of ", foreign.type_key, " ", types);
  const auto own = json_.find(foreign.type_key);
  if (own != json_.end()) absl::StrAppend(&text, ", and this is ", own->dump());
  return absl::StrCat(text, "; set ", PathOf(foreign.type_key), " to ", types,
                      ", or leave the key out");
}

Status JsonObjectReader::Finish() {
  if (json_.is_object()) {
    const std::vector<std::string> known(known_.begin(), known_.end());
    for (const auto& [key, value] : json_.items()) {
      if (known_.contains(key)) continue;
      const auto foreign = foreign_.find(key);
      AddError(key, foreign != foreign_.end()
                        ? ForeignText(foreign->second)
                        : absl::StrCat("unknown key", DidYouMean(key, known)));
    }
  }
  if (errors_.empty()) return absl::OkStatus();
  return InvalidArgument({.message = absl::StrJoin(errors_, "\n")});
}

}  // namespace dl
