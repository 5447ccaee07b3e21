#include "cli/tensorboard/example_pictures.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "base/printable.h"
#include "inference/serving/example_samples.h"

namespace dl::cli {
namespace {

constexpr int64_t kMaxPictures = 16;
constexpr std::string_view kBefore = "data:image/png;base64,";

// Returns a number of the header of a PNG file (ISO/IEC 15948, 11.2.2).
int64_t NumberAt(const std::string& png, size_t place) {
  int64_t number = 0;
  for (size_t i = place; i < place + 4 && i < png.size(); ++i)
    number = number << 8 | static_cast<unsigned char>(png[i]);
  return number;
}

// Returns the label without characters that Markdown or HTML interprets.
std::string LabelText(const Json& sample) {
  const auto label = sample.find("label");
  if (label == sample.end()) return "";
  const std::string text =
      label->is_string() ? VisibleName(label->get<std::string>()) : JsonText(*label);
  return absl::StrCat("`", absl::StrReplaceAll(text, {{"`", "'"}, {"\n", " "}}), "`");
}

}  // namespace

StatusOr<std::optional<Pictures>> ReadPictures(rpc::ClientService& client, const std::string& job) {
  const StatusOr<std::string> text =
      inference::ExampleSamples(client, {.job = job, .set = "train", .count = kMaxPictures});
  if (absl::IsUnavailable(text.status()) || absl::IsDeadlineExceeded(text.status()))
    return text.status();
  if (!text.ok()) return std::nullopt;
  DL_ASSIGN_OR_RETURN(const Json answer, ParseJson(*text, "samples"));
  Pictures pictures;
  for (const Json& sample : answer.value("samples", Json::array())) {
    const std::string image = sample.value("image", "");
    std::string png;
    if (!image.starts_with(kBefore) || !absl::Base64Unescape(image.substr(kBefore.size()), &png))
      return std::nullopt;
    constexpr size_t kWidth = 16, kHeight = 20;  // places in the file
    pictures.width = NumberAt(png, kWidth);
    pictures.height = NumberAt(png, kHeight);
    absl::StrAppend(&pictures.description, pictures.files.empty() ? "" : ", ", LabelText(sample));
    pictures.files.push_back(std::move(png));
  }
  if (pictures.files.empty()) return std::nullopt;
  pictures.description =
      absl::StrCat("Examples of the training set. Labels, in this order: ", pictures.description);
  return pictures;
}

}  // namespace dl::cli
