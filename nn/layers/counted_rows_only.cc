#include "nn/layers/counted_rows_only.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "nn/conf/row_layers.h"

namespace dl::nn {
namespace {

// Returns for each node whether it computes rows of `output` and of no other value, each row alone:
// its results are read only by such nodes or by the loss of the output.
std::vector<bool> NodesOfRows(const LoweredModel& lowered, ValueId output) {
  std::vector<int> other_readers(lowered.values);
  std::vector<bool> is_read(lowered.values);
  for (const LoweredNode& node : lowered.nodes) {
    for (const ValueId id : node.inputs) ++other_readers[id];
  }
  for (const ValueId id : lowered.outputs) ++other_readers[id];
  --other_readers[output];
  is_read[output] = true;
  std::vector<bool> members(lowered.nodes.size());
  for (size_t i = lowered.nodes.size(); i-- > 0;) {
    const LoweredNode& node = lowered.nodes[i];
    members[i] = node.computes_rows_alone && std::ranges::all_of(node.outputs, [&](ValueId id) {
                   return is_read[id] && other_readers[id] == 0;
                 });
    if (!members[i]) continue;
    for (const ValueId id : node.inputs) {
      --other_readers[id];
      is_read[id] = true;
    }
  }
  return members;
}

bool HasProduct(const LoweredModel& lowered, const std::vector<bool>& members) {
  for (size_t i = 0; i < members.size(); ++i) {
    if (members[i] && std::holds_alternative<DenseOperation>(lowered.nodes[i].operation))
      return true;
  }
  return false;
}

}  // namespace

std::vector<bool> OutputsOfCountedRows(const ModelConfig& model) {
  const LoweredModel lowered = LowerModel(model);
  std::vector<bool> counted;
  for (const ModelOutput& output : OutputsOf(model)) {
    const ValueId value = lowered.outputs[counted.size()];
    counted.push_back(JudgesRowsAlone(output) && HasProduct(lowered, NodesOfRows(lowered, value)));
  }
  return counted;
}

void ComputeCountedRowsOnly(LoweredModel& lowered, std::span<const int64_t> capacities) {
  for (size_t output = 0; output < capacities.size(); ++output) {
    if (capacities[output] == 0) continue;
    const std::vector<bool> members = NodesOfRows(lowered, lowered.outputs[output]);
    std::vector<bool> is_taken(lowered.values);  // values that members compute
    std::map<ValueId, ValueId> taken;            // from all rows to the rows that count
    std::vector<LoweredNode> nodes;
    for (size_t i = 0; i < members.size(); ++i) {
      LoweredNode& node = lowered.nodes[i];
      if (members[i]) {
        for (ValueId& id : node.inputs) {
          if (is_taken[id]) continue;
          const auto [found, is_new] = taken.try_emplace(id, lowered.values);
          if (is_new) {
            nodes.push_back({.operation = CountedRowsOperation{output, capacities[output]},
                             .name = node.name,
                             .inputs = {id},
                             .outputs = {lowered.values++},
                             .lengths = node.lengths,
                             .counted_in = output});
          }
          id = found->second;
        }
        for (const ValueId id : node.outputs) is_taken[id] = true;
        node.counted_in = output;
      }
      nodes.push_back(std::move(node));
    }
    lowered.nodes = std::move(nodes);
  }
}

}  // namespace dl::nn
