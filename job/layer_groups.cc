#include "job/layer_groups.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace dl::job {
namespace {

constexpr size_t kMaxSingleTypes = 6;

constexpr LayerGroup kGroups[] = {
    {"dense layers and losses", "dense|output|loss"},
    {"convolutions", "conv2d|transposed_conv2d|conv3d|conv1d"},
    {"poolings", "max_pool2d|avg_pool2d|max_pool3d|avg_pool3d|max_pool1d|avg_pool1d"},
    {"poolings of fixed output",
     "global_avg_pool2d|adaptive_avg_pool2d|adaptive_max_pool2d|global_avg_pool3d|"
     "global_avg_pool1d|global_max_pool1d"},
    {"normalizations", "batch_norm|group_norm|instance_norm|layer_norm|rms_norm"},
    {"other normalizations", "l2_normalize|local_response_norm"},
    {"embeddings", "embedding|positional_embedding"},
    {"recurrent layers", "simple_rnn|gru|lstm"},
    {"attentions", "self_attention|cross_attention"},
    {"functions of single values",
     "activation|prelu|scale_shift|dropout|gaussian_sample|gaussian_noise"},
    {"combinations of inputs", "add|multiply|average|maximum|concat|stack"},
    {"changes of shape",
     "upsample2d|zero_pad2d|crop2d|reshape|permute|repeat|subset|flatten|last_step"}};

}  // namespace

std::span<const LayerGroup> LayerGroups() { return kGroups; }

std::string ListLayerTypes(std::string_view types) {
  std::vector<std::string> names = absl::StrSplit(std::string(types), '|');
  if (names.size() > kMaxSingleTypes) {
    for (const LayerGroup& group : kGroups) {
      const std::vector<std::string> members = absl::StrSplit(std::string(group.types), '|');
      const bool has_all = std::ranges::all_of(members, [&](const std::string& member) {
        return std::ranges::find(names, member) != names.end();
      });
      if (!has_all) continue;
      *std::ranges::find(names, members.front()) = std::string(group.name);
      std::erase_if(names, [&](const std::string& name) {
        return std::ranges::find(members, name) != members.end();
      });
    }
  }
  return absl::StrJoin(names, ", ");
}

std::string MarkdownRow(const LayerGroup& group) {
  return absl::StrCat("| ", std::string(group.name), " | `",
                      absl::StrReplaceAll(std::string(group.types), {{"|", "`, `"}}), "` |");
}

}  // namespace dl::job
