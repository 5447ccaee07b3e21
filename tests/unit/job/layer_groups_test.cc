#include "job/layer_groups.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/job_keys.h"

namespace dl::job {
namespace {

TEST(LayerGroups, HaveEachLayerTypeOnce) {
  std::vector<std::string> grouped, types;
  for (const LayerGroup& group : LayerGroups()) {
    for (const std::string& type :
         std::vector<std::string>(absl::StrSplit(std::string(group.types), '|')))
      grouped.push_back(type);
  }
  for (const nn::KeyRow& key : Keys()) {
    if (key.path == "model.layers[].type") types = absl::StrSplit(std::string(key.choices), '|');
  }
  EXPECT_THAT(grouped, testing::UnorderedElementsAreArray(types));
}

TEST(LayerGroups, DocumentHasRowOfEachGroup) {
  std::ifstream file(std::string(DL_DOCS_DIR) + "/job-spec.md");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  for (const LayerGroup& group : LayerGroups())
    EXPECT_THAT(lines, testing::Contains(MarkdownRow(group)));
}

TEST(LayerGroups, LongListOfTypesNamesGroups) {
  EXPECT_EQ(ListLayerTypes("simple_rnn|gru|lstm"), "simple_rnn, gru, lstm");
  EXPECT_EQ(ListLayerTypes("dense|conv2d|transposed_conv2d|conv3d|conv1d|simple_rnn|gru"),
            "dense, convolutions, simple_rnn, gru");
  EXPECT_EQ(ListLayerTypes("adam|adamw|lamb|a|b|c|d"), "adam, adamw, lamb, a, b, c, d");
}

}  // namespace
}  // namespace dl::job
