// Groups of layer types. In the table of keys (docs/job-spec.md), a key that many types of layers
// have names groups instead of single types (ListLayerTypes).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dl::job {

struct LayerGroup {
  std::string_view name;   // "convolutions"
  std::string_view types;  // "conv2d|conv3d"
};

// Returns all groups. Each layer type of Paravane is in exactly one group.
std::span<const LayerGroup> LayerGroups();

// Returns the types as a list for people: "dense, conv2d". In a list of more than six types, the
// name of a group replaces its types if the list has all of them. `types` is like "dense|conv2d".
std::string ListLayerTypes(std::string_view types);

// Returns the row of a group in the table of docs/job-spec.md.
std::string MarkdownRow(const LayerGroup& group);

}  // namespace dl::job
