#include "master/merge/gathered_round.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "master/merge/received_content.h"

namespace dl::master {

void GatheredRound::Open(const OpenGather& effect) {
  opened_.reset();
  status_ = WithContext(merger_.OpenGather(effect.round, effect.exponents),
                        "starting to gather the results");
}

StatusOr<bool> GatheredRound::Add(const ExpectGather& expected,
                                  const std::shared_ptr<FloatBuffer>& content, Gathers& gathers) {
  if (!status_.ok()) return true;
  if (expected.opens != 0) return Compare(expected, *content);
  DL_RETURN_IF_ERROR(AddToMean(expected, content));
  DL_RETURN_IF_ERROR(KeepWorkerParts(expected, *content, gathers));
  return true;
}

Status GatheredRound::AddToMean(const ExpectGather& expected,
                                const std::shared_ptr<FloatBuffer>& content) {
  std::vector<RoundMerger::Contribution> contributions;
  for (const ExpectGather::Input& input : expected.inputs)
    contributions.push_back({.worker = input.worker, .hash = input.hash});
  if (expected.sum) {
    DL_RETURN_IF_ERROR(merger_.AddGathered(
        contributions, averaging::SumsOf(material_.layout(), AsBytes(*content))));
    return expected.opened ? OpenSum(expected, content) : absl::OkStatus();
  }
  contributions.front().vector = content;
  contributions.front().magnitudes = *expected.inputs.front().magnitudes;
  return merger_.AddGathered(contributions.front());
}

Status GatheredRound::OpenSum(const ExpectGather& expected,
                              const std::shared_ptr<FloatBuffer>& content) {
  DL_ASSIGN_OR_RETURN(
      averaging::PartialSum parts,
      averaging::PartialSum::Create(material_.layout(), merger_.grid(), merger_.weights().sum));
  opened_.emplace(OpenedSum{.number = expected.number,
                            .content = content,
                            .parts = std::move(parts),
                            .left = expected.inputs.size()});
  return absl::OkStatus();
}

StatusOr<bool> GatheredRound::Compare(const ExpectGather& expected, const FloatBuffer& content) {
  if (!opened_ || opened_->number != expected.opens)
    return Internal(
        {.message = "a part of a sum arrived, but the sum is not open", .where = expected.job});
  const ExpectGather::Input& input = expected.inputs.front();
  DL_RETURN_IF_ERROR(opened_->parts.Add(content.span(), merger_.weights().weight[input.worker],
                                        *input.magnitudes));
  if (--opened_->left > 0) return true;
  const auto sums = averaging::SumsOf(material_.layout(), AsBytes(*opened_->content));
  const bool same = std::ranges::equal(opened_->parts.pieces().front(), sums);
  opened_.reset();
  return same;
}

Status GatheredRound::KeepWorkerParts(const ExpectGather& expected, const FloatBuffer& content,
                                      Gathers& gathers) {
  const averaging::StateLayout& layout = material_.layout();
  const std::vector<const averaging::PartLayout*> own =
      layout.PartsWith(averaging::PartScope::kWorker);
  for (size_t i = 0; i < expected.inputs.size(); ++i) {
    const auto parts = WorkerParts(layout, expected, i, content);
    for (size_t k = 0; k < own.size(); ++k) {
      DL_ASSIGN_OR_RETURN(const std::shared_ptr<FloatBuffer> copy,
                          pool_.Take(own[k]->table.size()));
      std::copy(parts[k].begin(), parts[k].end(), copy->data());
      gathers.KeepWorkerPart(own[k]->KeyOf(expected.inputs[i].worker), copy);
    }
  }
  return absl::OkStatus();
}

}  // namespace dl::master
