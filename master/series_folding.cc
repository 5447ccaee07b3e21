#include "master/series_folding.h"

#include <utility>

#include "storage/series/row_folding.h"

namespace dl::master {

SeriesFolded Fold(storage::MetaStore& store, const FoldSeries& asked) {
  SeriesFolded answer{.job = asked.job, .number = asked.number};
  StatusOr<storage::MetaBatch> batch = storage::FoldRows(store, asked.job);
  answer.status = batch.status();
  if (batch.ok()) answer.batch = *std::move(batch);
  return answer;
}

}  // namespace dl::master
