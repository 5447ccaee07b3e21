#include "inference/export/checkpoint_tensors.h"

#include "absl/strings/str_cat.h"

namespace dl::inference {

std::vector<NamedTensor> TensorsOf(const LoadedCheckpoint& checkpoint) {
  std::vector<NamedTensor> tensors;
  const averaging::StateLayout& layout = checkpoint.strategy->layout();
  for (const LoadedCheckpoint::Part& part : checkpoint.parts) {
    const bool has_prefix = part.layout->scope == averaging::PartScope::kWorker ||
                            (part.layout == &layout.model() && part.layout != &layout.evaluated());
    const std::string prefix = has_prefix ? absl::StrCat(part.key, "/") : "";
    const std::span<const float> values = part.values.span();
    for (const Segment& segment : part.layout->table.segments()) {
      tensors.push_back({prefix + segment.name, segment.shape,
                         values.empty() ? values : part.layout->table.View(segment, values)});
    }
  }
  return tensors;
}

}  // namespace dl::inference
