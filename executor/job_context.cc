#include "executor/job_context.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "averaging/job_strategy.h"
#include "base/checksum.h"
#include "base/limits.h"
#include "dataset/job_plan.h"
#include "dataset/manifest.h"
#include "executor/fault.h"
#include "rpc/messages.h"

namespace dl::executor {
namespace {

StatusOr<std::shared_ptr<const dataset::Dataset>> OpenDataset(
    const std::string& manifest_text, const job::DatasetSpec& expected, const std::string& where,
    std::shared_ptr<dataset::DecodedBlockCache> blocks) {
  const auto* reference = std::get_if<job::ManifestReference>(&expected);
  if (reference != nullptr && Sha256Hex(manifest_text) != reference->sha256) {
    return WithFault(
        rpc::Fault::kMaster,
        Unavailable(
            {.message = "the manifest that the master sent does not match the hash in the job spec",
             .where = where}));
  }
  DL_ASSIGN_OR_RETURN(dataset::Manifest manifest, dataset::ManifestFromJson(manifest_text, where));
  return dataset::Dataset::Create(std::move(manifest), std::move(blocks));
}

}  // namespace

StatusOr<std::shared_ptr<const JobContext>> MakeJobContext(
    const std::string& id, const rpc::FetchJobReply& documents,
    std::shared_ptr<dataset::DecodedBlockCache> blocks) {
  auto context = std::make_shared<JobContext>();
  context->id = id;
  context->spec_sha256 = Sha256Hex(documents.spec);
  DL_ASSIGN_OR_RETURN(context->spec, job::JobFromText(documents.spec, "spec of " + id));
  const job::TrainingConfig& training = context->spec.training;
  DL_ASSIGN_OR_RETURN(context->strategy, averaging::MakeStrategy(context->spec));
  DL_ASSIGN_OR_RETURN(context->train, OpenDataset(documents.train_manifest,
                                                  context->spec.data.train, id + "/train", blocks));
  if (context->spec.data.test.has_value()) {
    DL_ASSIGN_OR_RETURN(context->test, OpenDataset(documents.test_manifest,
                                                   *context->spec.data.test, id + "/test", blocks));
  }
  if (!context->spec.data.augmentation.empty()) {
    DL_ASSIGN_OR_RETURN(
        dataset::Augmentation augmentation,
        dataset::Augmentation::Create(context->spec.data.augmentation,
                                      context->train->manifest().schema, context->train->scaler()));
    context->augmentation = std::make_shared<const dataset::Augmentation>(std::move(augmentation));
  }
  context->plan = dataset::TrainingPlan(training, context->train->manifest().examples);
  DL_RETURN_IF_ERROR(dataset::ValidatePlan(context->plan));
  const int64_t epoch_steps = dataset::EpochSteps(context->plan);
  context->length = {.steps = training.epochs * epoch_steps, .epoch_steps = epoch_steps};
  return std::shared_ptr<const JobContext>(std::move(context));
}

std::shared_ptr<const JobContext> JobContexts::Find(const std::string& job,
                                                    const std::string& spec_sha256) {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& known) {
    return known->id == job && known->spec_sha256 == spec_sha256;
  });
  if (found == jobs_.end()) return nullptr;
  jobs_.splice(jobs_.begin(), jobs_, found);
  return jobs_.front();
}

StatusOr<std::shared_ptr<const JobContext>> JobContexts::Get(const std::string& job,
                                                             const std::string& spec_sha256,
                                                             uint64_t session) {
  {
    MutexLock lock(mutex_);
    if (auto known = Find(job, spec_sha256); known != nullptr) return known;
  }
  DL_ASSIGN_OR_RETURN(
      rpc::FetchJobReply documents,
      WithCallFault(master_.FetchJob({.session = session, .job = job}, limits::kBulkDeadline)));
  if (Sha256Hex(documents.spec) != spec_sha256) {
    return WithFault(
        rpc::Fault::kMaster,
        Unavailable({.message = absl::StrCat("the spec that the master sent for job ", job,
                                             " does not match the hash in the lease"),
                     .where = job}));
  }
  DL_ASSIGN_OR_RETURN(std::shared_ptr<const JobContext> context,
                      MakeJobContext(job, documents, blocks_));
  MutexLock lock(mutex_);
  // Another slot may have inserted the job meanwhile.
  if (auto known = Find(job, spec_sha256); known != nullptr) return known;
  std::erase_if(jobs_, [&](const auto& known) { return known->id == job; });
  jobs_.push_front(std::move(context));
  if (jobs_.size() > limits::kMaxOpenJobs) jobs_.pop_back();
  return jobs_.front();
}

}  // namespace dl::executor
