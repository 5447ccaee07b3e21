#include "cli/jobs/histogram_query.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/limits.h"
#include "cli/output/json_fields.h"

namespace dl::cli {
namespace {

// Returns the numbers of a list; others than numbers are left out.
std::vector<double> NumbersOf(const Json& list) {
  std::vector<double> numbers;
  for (const Json& number : list) {
    if (number.is_number()) numbers.push_back(number.get<double>());
  }
  return numbers;
}

bool HasList(const Json& json, const char* key, size_t size) {
  const Json* list = Member(json, key);
  return list != nullptr && list->is_array() && list->size() == size;
}

// Appends the histograms of a column. Returns false if it has another form.
bool AppendColumn(const Json& column, bool with_buckets, HistogramReply& reply) {
  const Json* rounds = Member(column, "rounds");
  if (rounds == nullptr || !rounds->is_array() || TextAt(column, "name").empty()) return false;
  const size_t entries = rounds->size();
  if (!HasList(column, "values", entries) || !HasList(column, "quantiles", entries) ||
      (with_buckets && !HasList(column, "buckets", entries)))
    return false;
  for (size_t i = 0; i < entries; ++i) {
    if (!(*rounds)[i].is_number_integer() || !column["values"][i].is_number_integer() ||
        column["quantiles"][i].size() != reply.shares.size())
      return false;
    RecordedHistogram histogram{.round = (*rounds)[i].get<int64_t>(),
                                .name = TextAt(column, "name"),
                                .values = column["values"][i].get<int64_t>(),
                                .quantiles = NumbersOf(column["quantiles"][i])};
    for (const Json& bucket : with_buckets ? column["buckets"][i] : Json::array()) {
      const std::vector<double> numbers = NumbersOf(bucket);
      if (numbers.size() != 3) return false;
      histogram.buckets.push_back({numbers[0], numbers[1], static_cast<int64_t>(numbers[2])});
    }
    reply.histograms.push_back(std::move(histogram));
  }
  return true;
}

bool AppendPage(const Json& page, bool with_buckets, HistogramReply& reply) {
  const Json* columns = Member(page, "histograms");
  const Json* shares = Member(page, "shares");
  if (columns == nullptr || !columns->is_array() || shares == nullptr) return false;
  reply.rounds = IntegerAt(page, "rounds");
  reply.every_rounds = IntegerAt(page, "every_rounds");
  reply.shares = NumbersOf(*shares);
  return std::ranges::all_of(
      *columns, [&](const Json& column) { return AppendColumn(column, with_buckets, reply); });
}

}  // namespace

StatusOr<HistogramReply> QueryHistograms(rpc::ClientService& client, rpc::QueryRequest request) {
  HistogramReply reply;
  const int64_t most = request.max_entries;
  for (;;) {
    DL_ASSIGN_OR_RETURN(const rpc::QueryReply answer,
                        client.Query(request, limits::kControlDeadline));
    DL_ASSIGN_OR_RETURN(const Json page, ParseJson(answer.json, "the master's answer"));
    if (!AppendPage(page, request.buckets, reply)) {
      return InvalidArgument(
          {.message = "the master's answer has no histograms", .where = request.job});
    }
    if (answer.next_first <= request.first) break;
    request.first = answer.next_first;
    if (request.max_entries > 0) {
      std::set<int64_t> read;
      for (const RecordedHistogram& histogram : reply.histograms) read.insert(histogram.round);
      if (std::ssize(read) >= most) break;
      request.max_entries = most - std::ssize(read);
    }
  }
  // Columns are ascending, but each has its own rounds.
  std::ranges::stable_sort(reply.histograms, {}, &RecordedHistogram::round);
  return reply;
}

}  // namespace dl::cli
