#include "dataset/readers/image/image_weights.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "dataset/readers/example_weights.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/table/csv_scanner.h"

namespace dl::dataset {

StatusOr<ImageWeights> ImageWeights::Read(const std::string& path) {
  ImageWeights read(path);
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path));
  CsvScanner scanner(file, CsvSigns());
  for (std::vector<std::string> fields;;) {
    DL_ASSIGN_OR_RETURN(const bool more, scanner.NextRow(fields));
    if (!more) return read;
    if (fields.size() != 2) {
      return scanner.Bad(
          -1,
          absl::StrCat("the row has ", fields.size(), fields.size() == 1 ? " field" : " fields",
                       ", and a table of weights has 2"),
          "Write the path of the image in the folder, a comma, and the weight");
    }
    if (scanner.row() == 1 && !FloatOf(fields[1]).ok()) continue;  // a header
    const auto weight = WeightOf(fields[1]);
    if (!weight.ok())
      return scanner.Bad(1, std::string(weight.status().message()), ErrorRemedy(weight.status()));
    const std::string image = std::filesystem::path(fields[0]).lexically_normal().string();
    if (read.weights_.emplace(image, *weight).second) continue;
    return scanner.Bad(0, absl::StrCat("the image \"", Excerpt(image), "\" occurs twice"),
                       "Give each image one weight");
  }
}

StatusOr<float> ImageWeights::Take(const std::string& image) {
  const auto found = weights_.find(image);
  if (found == weights_.end()) {
    return AboutFile(InvalidArgument({.message = absl::StrCat("has no weight for the image \"",
                                                              PrintableName(image), "\"")}),
                     path_, "Give each image of the folder a row with its path and its weight");
  }
  const float weight = found->second;
  weights_.erase(found);
  return weight;
}

Status ImageWeights::Finish() const {
  if (weights_.empty()) return absl::OkStatus();
  const auto first = std::ranges::min_element(
      weights_, {}, [](const auto& entry) -> const std::string& { return entry.first; });
  return AboutFile(
      InvalidArgument({.message = absl::StrCat("names ", weights_.size(),
                                               weights_.size() == 1 ? " image" : " images",
                                               " that the folder does not have, such as \"",
                                               PrintableName(first->first), "\"")}),
      path_, "Write paths as they are in the folder, for example cat/1.png, or remove the rows");
}

}  // namespace dl::dataset
