#include "cli/tensorboard/job_export.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cli/jobs/job_query.h"
#include "cli/output/json_fields.h"
#include "cli/tensorboard/event_messages.h"
#include "cli/tensorboard/example_pictures.h"
#include "cli/tensorboard/record_framing.h"

namespace dl::cli {
namespace {

constexpr int kMaxAttempts = 10;  // a rollback while a file is written is rare

// Appends the settings in `value` as pairs of key path and value. Lists are values.
void AppendSettings(const Json& value, const std::string& path, FlatSettings& settings) {
  if (!value.is_object()) {
    settings.emplace_back(path, value);
    return;
  }
  for (const auto& [key, member] : value.items())
    AppendSettings(member, path.empty() ? key : absl::StrCat(path, ".", key), settings);
}

// Returns the settings without lists of objects, which do not fit into a cell of a table.
FlatSettings ShortSettings(const FlatSettings& all) {
  FlatSettings settings;
  for (const auto& [name, value] : all) {
    const bool is_list_of_objects = value.is_array() && !value.empty() && value[0].is_object();
    if (!is_list_of_objects) settings.emplace_back(name, value);
  }
  return settings;
}

std::string SettingsTable(const FlatSettings& settings) {
  std::string table = "| setting | value |\n|---|---|\n";
  for (const auto& [name, value] : settings) {
    const std::string text = absl::StrReplaceAll(JsonText(value), {{"|", "\\|"}, {"`", "'"}});
    absl::StrAppend(&table, "| ", name, " | `", text, "` |\n");
  }
  return table;
}

// Returns the document as a block of code in Markdown.
std::string CodeBlock(const Json& document) {
  const std::string text = document.dump(2, ' ', false, Json::error_handler_t::replace);
  return absl::StrCat("    ", absl::StrReplaceAll(text, {{"\n", "\n    "}}), "\n");
}

// Returns no bytes for a job that has not ended.
std::string EndRecord(const Json& job, const CurvePosition& position) {
  if (!HasEnded(job)) return "";
  const double time = std::max(TimesOf(job).ended, position.wall_time);
  const RunEnd end = TextAt(job, "state") == "SUCCEEDED" ? RunEnd::kSucceeded : RunEnd::kFailed;
  return FramedRecord(EndEvent({.wall_time = time}, end));
}

}  // namespace

StatusOr<std::string> JobExport::Head(const JobTimes& times) {
  DL_ASSIGN_OR_RETURN(const Json spec, QueryJson(client_, rpc::QueryKind::kSpec, job_));
  FlatSettings all;
  AppendSettings(spec, "", all);
  const FlatSettings settings = ShortSettings(all);
  const double begin = times.submitted;
  std::string records;
  for (const std::string& message :
       {VersionEvent(begin), StartEvent(begin),
        TextEvent({.wall_time = begin}, "settings", SettingsTable(settings)),
        TextEvent({.wall_time = begin}, "spec", CodeBlock(spec)),
        SettingsEvent(begin, job_, settings)})
    records += FramedRecord(message);
  DL_ASSIGN_OR_RETURN(const std::optional<Pictures> pictures, ReadPictures(client_, job_));
  if (pictures) {
    records += FramedRecord(PicturesEvent({.wall_time = begin}, "train/examples", *pictures));
  }
  return records;
}

StatusOr<bool> JobExport::Replace(const Json& job, NewestRound newest) {
  const JobTimes times = TimesOf(job);
  DL_ASSIGN_OR_RETURN(const std::string head, Head(times));
  CurvePosition position;
  bool rolled_back = false;
  const auto content = [&](ByteSink sink) -> Status {
    DL_RETURN_IF_ERROR(sink(head));
    DL_ASSIGN_OR_RETURN(const Curves curves,
                        ReadRounds(client_, job_, times, newest, position, sink));
    rolled_back = curves == Curves::kRolledBack;
    // An error keeps the old file.
    if (rolled_back) return Aborted({.message = "rounds were rolled back", .where = job_});
    return sink(EndRecord(job, position));
  };
  const Status written = file_.Replace(static_cast<int64_t>(times.submitted), content);
  if (rolled_back) return false;
  DL_RETURN_IF_ERROR(written);
  position_ = position;
  return true;
}

StatusOr<bool> JobExport::Append(const Json& job, NewestRound newest) {
  const JobTimes times = TimesOf(job);
  const auto append = [&](std::string_view records) { return file_.Append(records); };
  DL_ASSIGN_OR_RETURN(const Curves curves,
                      ReadRounds(client_, job_, times, newest, position_, append));
  if (curves == Curves::kRolledBack) return false;
  DL_RETURN_IF_ERROR(file_.Append(EndRecord(job, position_)));
  return true;
}

Status JobExport::Update(const Json& job, NewestRound newest) {
  if (file_.exists()) {
    DL_ASSIGN_OR_RETURN(const bool appended, Append(job, newest));
    if (appended) return absl::OkStatus();
  }
  for (int i = 0; i < kMaxAttempts; ++i) {
    DL_ASSIGN_OR_RETURN(const bool replaced, Replace(job, newest));
    if (replaced) return absl::OkStatus();
  }
  return Unavailable({.message = "rounds were rolled back during every attempt to read them",
                      .where = job_,
                      .remedy = "Run the command again later"});
}

}  // namespace dl::cli
