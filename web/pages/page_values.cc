#include "web/pages/page_values.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "rpc/remedy_text.h"
#include "web/api/job_list.h"
#include "web/documents/reason_text.h"

namespace dl::web {
namespace {

constexpr std::array kWords = {"state", "reason", "kind", "type", "severity", "metric"};
constexpr std::array kMaps = {"placement", "killed",  "distrusted_since_round",
                              "parts",     "metrics", "figures",
                              "test",      "train"};

bool IsWord(const std::string& text) {
  return !text.empty() && text.size() <= 40 &&
         std::ranges::all_of(text, [](char c) { return absl::ascii_isalpha(c) || c == '_'; });
}

void AddWords(Json& object) {
  for (const char* member : kWords) {
    const auto found = object.find(member);
    if (found == object.end() || !found->is_string()) continue;
    const std::string word = *found;
    if (IsWord(word)) object[absl::StrCat("is_", absl::AsciiStrToLower(word))] = true;
  }
  if (const auto reason = object.find("reason"); reason != object.end() && reason->is_string())
    object["reason_text"] = ReasonText(reason->get<std::string>());
}

void AddLists(Json& object) {
  for (const char* member : kMaps) {
    const auto found = object.find(member);
    if (found == object.end() || !found->is_object()) continue;
    Json list = Json::array();
    for (const auto& [key, value] : found->items()) {
      if (!value.is_structured()) list.push_back({{"key", key}, {"value", value}});
    }
    object[absl::StrCat(member, "_list")] = std::move(list);
  }
}

bool IsOneOf(const std::string& state, std::initializer_list<const char*> states) {
  return std::ranges::find(states, state) != states.end();
}

}  // namespace

void AddPageValues(Json& document, std::string_view flags) {
  if (document.is_structured()) {
    for (Json& value : document) AddPageValues(value, flags);
  }
  if (!document.is_object()) return;
  rpc::AddRemedyTexts(document, flags);
  AddWords(document);
  AddLists(document);
}

bool PageUser::may_submit() const {
  return !read_only &&
         (identity.role == security::Role::kSubmit || identity.role == security::Role::kAdmin);
}

Json ToJson(const PageUser& user) {
  return {{"owner", user.identity.owner},
          {"role", std::string(security::RoleName(user.identity.role))},
          {"may_submit", user.may_submit()},
          {"may_act", user.may_act()},
          {"is_admin", user.identity.role == security::Role::kAdmin}};
}

void AddJobValues(Json& job, const PageUser& user) {
  const std::string state = job.value("state", "");
  const bool ended = IsOneOf(state, {"SUCCEEDED", "FAILED", "CANCELLED", "REJECTED"});
  job["is_ended"] = ended;
  job["is_live"] = !ended && state != "INTERRUPTED";  // no process computes such a job
  if (const auto scheduling = job.find("scheduling"); scheduling != job.end())
    (*scheduling)["has_priority"] = scheduling->value("priority", int64_t{0}) != 0;
  for (const auto& [member, one, many] : {std::tuple{"rounds", "round", "rounds"},
                                          {"rounds_total", "round", "rounds"},
                                          {"epochs_total", "epoch", "epochs"}}) {
    job[absl::StrCat(member, "_word")] = job.value(member, int64_t{0}) == 1 ? one : many;
  }
  job["has_rounds"] = job.value("rounds", int64_t{0}) > 0;
  if (const std::optional<double> left = SecondsLeft(job)) job["eta_seconds"] = *left;
  const bool acts = user.may_act() && (user.identity.role == security::Role::kAdmin ||
                                       job.value("owner", "") == user.identity.owner);
  job["may_cancel"] = acts && !ended;
  job["may_pause"] = acts && IsOneOf(state, {"RUNNING", "QUEUED"});
  job["may_resume"] = acts && IsOneOf(state, {"PAUSED", "CANCELLED", "FAILED", "REJECTED"});
  job["may_checkpoint"] = acts && state == "RUNNING";
  job["may_delete"] = acts && ended;
}

}  // namespace dl::web
