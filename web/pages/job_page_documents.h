// Documents of the pages of a job, besides the document of the job itself.
#pragma once

#include <cstdint>
#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/service.h"
#include "web/model_service.h"

namespace dl::web {

// A page of one job. Each function adds documents to its context, in which "job" is the document of
// the job. Errors are those of rpc::ClientService::Query, unless stated otherwise.

// Adds "checkpoints", "diagnosis" if the job "has_rounds" (AddJobValues), and of the last events
// "notable", "epochs" and "marks" (web/documents).
Status AddOverview(rpc::ClientService& master, Json& context);
// Adds "checkpoints", the newest first.
Status AddCheckpoints(rpc::ClientService& master, Json& context);
// Adds "evaluation", the newest one that counts. If LastEvaluation() finds none, adds
// "no_evaluation" instead, with one of "has_no_test_set", "ended_before", "after_each_epoch" and
// "at_the_end", which is true.
Status AddEvaluation(rpc::ClientService& master, Json& context);
// Adds "checkpoint_evaluation": the answer of ModelService::Evaluate for the last checkpoint, with
// its curves (ScoreCurves) as "charts" and its mistakes (SampleView) as "worst". Has "problem" with
// "detail" instead if the service returns an error.
Status AddCheckpointEvaluation(rpc::ClientService& master, ModelService& models, Json& context);
// Adds "settings".
Status AddSettings(rpc::ClientService& master, Json& context);
// Adds "model", and "histograms" (ReadNewestHistograms), which is null if the job has recorded
// none. Returns also the errors of ModelDocument.
Status AddModel(rpc::ClientService& master, Json& context);
// The samples that a page of data shows.
struct ShownSamples {
  ModelService* models = nullptr;  // null: none
  std::string set = "train";       // the set that `first` belongs to; the other set begins at 0
  int64_t first = 0;
};
// Adds "dataset" with "train", and "test" if the job has a test set. Each is a
// DatasetDescription(). Unless `shown.models` is null, each also has "shown": its samples
// (SampleView) with "set", the numbers "first" and "last" from 1, and "next" and "previous" for
// links. If the samples cannot be read, "shown" has only "problem" with "detail". Returns
// InvalidArgument if the set has no example `first`.
Status AddDatasets(rpc::ClientService& master, const ShownSamples& shown, Json& context);
// Adds "timeline" (ReadTimeline) up to the round `last`; 0: up to the newest one. It is empty if
// the job has no recorded round.
Status AddTimeline(rpc::ClientService& master, int64_t last, Json& context);
// Adds "cluster".
Status AddCluster(rpc::ClientService& master, Json& context);
// Adds "cluster", and "executor_times" (ToJson of ExecutorTimes).
Status AddJobExecutors(rpc::ClientService& master, Json& context);
// Adds "events", the newest first. If `before` is above 0, only events with smaller numbers, and
// "newest" is true, so that the page links to the newest events. "older_before" is `before` of the
// next page; absent on the last page.
Status AddEvents(rpc::ClientService& master, int64_t before, Json& context);
// Adds "is_tall" to a Comparison(): whether the table of settings has a row for each job, because
// there are too many jobs for columns. Then also adds "rows", drops settings that are too many for
// columns, and adds their number as "more".
void AddTable(Json& comparison);

}  // namespace dl::web
