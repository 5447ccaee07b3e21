#include "job/dataset_spec.h"

#include <algorithm>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/one_of_members.h"
#include "nn/conf/members.h"

namespace dl {

template class OneOf<job::AllSources>;

namespace job {
namespace {

template <typename... Source>
std::vector<DatasetSpec> DefaultSources(const std::variant<Source...>*) {
  return {DatasetSpec(Source())...};
}

// Returns one default source of each format.
const std::vector<DatasetSpec>& Formats() {
  static const auto& formats =
      *new std::vector<DatasetSpec>(DefaultSources(static_cast<const DatasetSpec*>(nullptr)));
  return formats;
}

bool HasKey(const DatasetSpec& dataset, std::string_view key) {
  return std::ranges::any_of(nn::MembersOf(dataset),
                             [&](const nn::Member& member) { return member.field.key == key; });
}

// Formats name their files either `path` or `paths`. Accepts the other name as well.
Json WithOwnName(const Json& json, const DatasetSpec& format) {
  Json named = json;
  for (const auto& [own, other] : {std::pair("path", "paths"), std::pair("paths", "path")}) {
    if (!HasKey(format, own) || named.contains(own) || !named.contains(other)) continue;
    named[own] = named[other];
    named.erase(other);
  }
  return named;
}

}  // namespace

std::string_view FormatOf(const DatasetSpec& dataset) {
  return std::visit([](const auto& source) { return source.kTag; }, dataset);
}

std::vector<Files> FilesOf(const DatasetSpec& dataset) {
  if (const auto* images = std::get_if<ImageFolderSource>(&dataset)) return {images->folder};
  std::vector<Files> files;
  const auto take = [&](const nn::Field&, const auto& member) {
    using Member = std::decay_t<decltype(member)>;
    if constexpr (std::is_base_of_v<Files, Member>) files.push_back(member);
    if constexpr (std::is_same_v<Member, std::optional<Files>>) {
      if (member) files.push_back(*member);
    }
  };
  std::visit([&](const auto& source) { source.Fields(source, take); }, dataset);
  return files;
}

void CheckDataset(const DatasetSpec& dataset, const std::string& where, nn::Mistakes& mistakes) {
  mistakes.SetWhere(absl::StrCat(where.empty() ? "the dataset" : where, " (",
                                 std::string(FormatOf(dataset)), ")"));
  nn::CheckFields(nn::MembersOf(dataset), mistakes);
  std::visit([&](const auto& source) { source.Check(mistakes); }, dataset);
}

namespace {

// As for tables (job/sources/csv.h): both texts have the vocabulary of the training set.
void CheckTreatmentOfTestSet(const TextSource& training, const TextSource& test,
                             nn::Mistakes& mistakes) {
  const TextSource unstated;
  const auto check = [&](const char* key, auto TextSource::*value) {
    if (test.*value == unstated.*value || test.*value == training.*value) return;
    mistakes.Add(absl::StrCat(key, " differs from that of the training set"),
                 "Set it in data.train alone, which decides the vocabulary of both sets");
  };
  check("vocabulary_size", &TextSource::vocabulary_size);
  check("unknown_character", &TextSource::unknown_character);
}

}  // namespace

void CheckTestSet(const DatasetSpec& training, const DatasetSpec& test, nn::Mistakes& mistakes) {
  mistakes.SetWhere(absl::StrCat("data.test (", std::string(FormatOf(test)), ")"));
  const auto check = [&]<typename Source>(const Source& test_set) {
    if (const auto* const training_set = std::get_if<Source>(&training))
      CheckTreatmentOfTestSet(*training_set, test_set, mistakes);
  };
  if (const auto* const table = std::get_if<CsvSource>(&test)) check(*table);
  if (const auto* const text = std::get_if<TextSource>(&test)) check(*text);
}

Json ToJson(const DatasetSpec& dataset) {
  Json json{{"format", FormatOf(dataset)}};
  nn::WriteFields(nn::MembersOf(dataset), json);
  return json;
}

DatasetSpec DatasetFromJson(const Json& json, const std::string& path, nn::Mistakes& mistakes) {
  DatasetSpec out;
  std::string format;
  std::vector<std::string_view> tags;
  for (const DatasetSpec& known : Formats()) tags.push_back(FormatOf(known));
  JsonObjectReader outer(json, path);
  outer.Require("format");
  outer.OneOf("format", format, tags);
  if (!outer.errors().empty() || format.empty()) {
    // The other keys cannot be checked without a format.
    for (const std::string& line : outer.errors()) mistakes.AddLine(line);
    return out;
  }
  out = *std::find_if(Formats().begin(), Formats().end(),
                      [&](const DatasetSpec& known) { return FormatOf(known) == format; });
  const Json named = WithOwnName(json, out);
  JsonObjectReader reader(named, path);
  (void)reader.Child("format");
  for (const DatasetSpec& known : Formats())
    nn::AddForeignKeys(reader, FormatOf(known), nn::MembersOf(known), "format");
  nn::ReadFields(reader, nn::MembersOf(out));
  (void)reader.Finish();
  for (const std::string& line : reader.errors()) mistakes.AddLine(line);
  return out;
}

std::vector<nn::KeyRow> DatasetKeys(nn::KeyRow object) {
  const std::string prefix = absl::StrCat(object.path, ".");
  std::vector<nn::TypeRows> types;
  std::vector<std::string> tags;
  for (const DatasetSpec& known : Formats()) {
    tags.emplace_back(FormatOf(known));
    types.push_back({FormatOf(known), nn::RowsOf(nn::MembersOf(known))});
  }
  std::vector<nn::KeyRow> rows{std::move(object)};
  rows.push_back({.path = prefix + "format",
                  .type = nn::KeyType::kChoice,
                  .choices = absl::StrJoin(tags, "|"),
                  .meaning = "Format of the files; `manifest` = a dataset that this master has"});
  nn::AppendMerged(prefix, types, rows);
  return rows;
}

}  // namespace job
}  // namespace dl
