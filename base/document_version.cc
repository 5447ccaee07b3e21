#include "base/document_version.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace dl {
namespace {

// Returns {"layers", "2", "size"} for "layers[2].size".
std::vector<std::string> PartsOf(std::string_view path) {
  return absl::StrSplit(absl::StrReplaceAll(std::string(path), {{"[", "."}, {"]", ""}}), '.');
}

template <typename AnyJson>  // const or not
AnyJson* Member(AnyJson& json, const std::string& part) {
  if (json.is_object()) {
    const auto found = json.find(part);
    return found == json.end() ? nullptr : &*found;
  }
  size_t index = 0;
  const bool there = json.is_array() && absl::SimpleAtoi(part, &index) && index < json.size();
  return there ? &json[index] : nullptr;
}

// Returns the value at the path, or null.
template <typename AnyJson>
AnyJson* At(AnyJson& json, std::span<const std::string> parts) {
  AnyJson* at = &json;
  for (const std::string& part : parts) {
    if (at != nullptr) at = Member(*at, part);
  }
  return at;
}

// Returns the object that will contain the last part of the path, and creates missing objects on
// the way. Returns null if another value is in the way.
Json* MakeObjectFor(Json& json, std::span<const std::string> parts) {
  Json* at = &json;
  for (const std::string& part : parts.first(parts.size() - 1)) {
    Json* member = Member(*at, part);
    if (member == nullptr && at->is_object()) member = &((*at)[part] = Json::object());
    if (member == nullptr) return nullptr;
    at = member;
  }
  return at->is_object() ? at : nullptr;
}

std::string Inside(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : absl::StrCat(std::string(path), ".", std::string(key));
}

std::string VersionsRead(const DocumentKind& kind) {
  const std::string key(kind.key());
  return kind.oldest() == kind.version()
             ? absl::StrCat(key, " ", kind.version())
             : absl::StrCat(key, "s ", kind.oldest(), " to ", kind.version());
}

// Returns the version in the value of the key; 0 if the value is not a version.
int64_t NumberOf(const Json& value) {
  if (!value.is_number_integer()) return 0;
  if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX}) return INT64_MAX;
  return std::max<int64_t>(0, value.get<int64_t>());
}

// Returns the version of the document if this build can read it.
StatusOr<int64_t> VersionOf(const DocumentKind& kind, const Json& json, std::string_view path) {
  const auto found = json.find(std::string(kind.key()));
  const bool says = found != json.end();
  const int64_t version = says ? NumberOf(*found) : 1;
  if (version >= kind.oldest() && version <= kind.version()) return version;

  constexpr size_t kLongestShown = 40;
  const std::string name(kind.name()), key(kind.key()), where = Inside(path, key);
  const std::string shown =
      says ? JsonText(*found).substr(0, kLongestShown) : "1, because the key is missing";
  if (version < 1) {
    return InvalidArgument(
        {.message = absl::StrCat(where, ": must be a whole number of at least 1, is ", shown),
         .remedy = absl::StrCat("Give the version in which the ", name,
                                " is written; this build reads ", VersionsRead(kind))});
  }
  const std::string sentence = absl::StrCat(where, ": this ", name, " has ", key, " ", shown,
                                            ", but this build reads ", VersionsRead(kind));
  if (version < kind.oldest())
    return InvalidArgument({.message = sentence, .remedy = "Use the build that wrote it"});
  return VersionMismatch({.message = sentence, .remedy = "Use a newer build of Paravane"});
}

}  // namespace

void DocumentUpgrade::Move(std::string_view from, std::string_view to) {
  const std::vector<std::string> source = PartsOf(from), target = PartsOf(to);
  Json* const holder = At(json_, std::span(source).first(source.size() - 1));
  if (holder == nullptr || !holder->is_object() || !holder->contains(source.back())) return;
  if (At(json_, target) != nullptr) return;
  Json value = std::move((*holder)[source.back()]);
  holder->erase(source.back());  // before, because the target may be inside the moved key
  Json* const place = MakeObjectFor(json_, target);
  (place == nullptr ? (*holder)[source.back()] : (*place)[target.back()]) = std::move(value);
  if (place == nullptr) return;
  bool written = At(*written_, source) != nullptr;  // false: an earlier step moved the value there
  for (Moved& earlier : moved_) {
    if (earlier.now == from) {
      written = false;
    } else if (!earlier.now.starts_with(absl::StrCat(std::string(from), "."))) {
      continue;
    }
    earlier.now.replace(0, from.size(), to);
  }
  if (written) moved_.push_back({std::string(from), std::string(to)});
}

JsonObjectReader CurrentDocument::Reader() const {
  JsonObjectReader reader(json(), path_);
  (void)reader.Has(key_);
  return reader;
}

Status CurrentDocument::Explain(const Status& status) const {
  if (status.ok() || notes_.empty()) return status;
  std::string remedy = ErrorRemedy(status);
  if (!remedy.empty()) absl::StrAppend(&remedy, ". ");
  return WithRemedy(status, absl::StrCat(remedy, absl::StrJoin(notes_, ". ")));
}

Status CurrentDocument::UpgradeMember(const DocumentKind& kind, std::string_view member) {
  if (!json().is_object()) return absl::OkStatus();
  const auto found = json().find(std::string(member));
  if (found == json().end()) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(CurrentDocument inside,
                      UpgradeToCurrent(kind, *found, Inside(path_, member)));
  if (!inside.own_) return absl::OkStatus();
  if (!own_) own_ = *written_;
  (*own_)[std::string(member)] = *std::move(inside.own_);
  for (std::string& note : inside.notes_) notes_.push_back(std::move(note));
  return absl::OkStatus();
}

StatusOr<CurrentDocument> UpgradeToCurrent(const DocumentKind& kind, const Json& json,
                                           std::string_view path) {
  CurrentDocument document(kind, json, path);
  if (!json.is_object()) return document;
  DL_ASSIGN_OR_RETURN(const int64_t version, VersionOf(kind, json, path));
  if (version == kind.version()) return document;

  DocumentUpgrade upgrade(json);
  for (const UpgradeStep step : kind.steps().subspan(version - kind.oldest())) step(upgrade);
  document.own_ = std::move(upgrade.json());
  (*document.own_)[std::string(kind.key())] = kind.version();
  std::vector<std::string> names;
  for (const DocumentUpgrade::Moved& moved : upgrade.moved()) {
    names.push_back(
        absl::StrCat(Inside(path, moved.now), " is called ", Inside(path, moved.written)));
  }
  if (!names.empty()) {
    document.notes_.push_back(absl::StrCat("This ", std::string(kind.name()), " has ",
                                           std::string(kind.key()), " ", version, ", where ",
                                           absl::StrJoin(names, ", ")));
  }
  return document;
}

}  // namespace dl
