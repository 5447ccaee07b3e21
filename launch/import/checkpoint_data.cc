#include "launch/import/checkpoint_data.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/printable.h"
#include "dataset/manifest.h"
#include "rpc/messages.h"

namespace dl::launch {
namespace {

using Names = std::vector<std::string>;

std::string NameAt(const Names& names, size_t index) {
  return index < names.size() ? absl::StrCat("\"", Excerpt(names[index]), "\"") : "none";
}

// Adds a sentence if the names differ. Names may be absent, for example those of arrays.
void Compare(const std::string& job, const std::string& what, const Names& of_job,
             const Names& of_data, std::vector<std::string>& sentences) {
  if (of_job.empty() || of_data.empty() || of_job == of_data) return;
  const auto [left, right] = std::ranges::mismatch(of_job, of_data);
  const auto index = static_cast<size_t>(left - of_job.begin());
  sentences.push_back(absl::StrCat("the data has another ", what, " ", index, " than ", job, ": ",
                                   NameAt(of_data, index), ", and not ", NameAt(of_job, index),
                                   ". The weights of the checkpoint have learned the latter"));
}

}  // namespace

std::vector<std::string> DifferencesFromCheckpoint(const SubmitOptions& options,
                                                   const std::string& train_manifest,
                                                   rpc::ClientService& client) {
  const std::string& from = options.resume_from.empty() ? options.init_from : options.resume_from;
  const std::string job = from.substr(0, from.find('@'));
  if (job.empty()) return {};
  const auto reply =
      client.Query({.what = rpc::QueryKind::kTrainManifest, .job = job}, limits::kControlDeadline);
  if (!reply.ok()) return {};
  const auto of_job = dataset::ManifestFromJson(reply->json, "training manifest");
  const auto of_data = dataset::ManifestFromJson(train_manifest, "training manifest");
  std::vector<std::string> sentences;
  if (!of_job.ok() || !of_data.ok()) return sentences;
  Compare(job, "class", of_job->schema.class_names(), of_data->schema.class_names(), sentences);
  Compare(job, "feature", of_job->schema.feature_names(), of_data->schema.feature_names(),
          sentences);
  return sentences;
}

}  // namespace dl::launch
