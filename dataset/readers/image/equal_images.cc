#include "dataset/readers/image/equal_images.h"

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/printable.h"

namespace dl::dataset {

void EqualImages::Add(std::span<const uint8_t> pixels, const std::string& path, int32_t of_class) {
  ++images_;
  const auto [place, is_new] = first_with_.try_emplace(Xxh3(std::as_bytes(pixels)),
                                                       Seen{.path = path, .of_class = of_class});
  if (is_new) return;
  if (copies_++ == 0) copy_ = {.first = place->second.path, .second = path};
  if (place->second.of_class == of_class) return;
  if (in_other_class_++ == 0) contradiction_ = {.first = place->second.path, .second = path};
}

void EqualImages::Warn(std::vector<std::string>& warnings) const {
  constexpr int64_t kShare = 10;
  const auto named = [](const Pair& pair) {
    return absl::StrCat(PrintableName(pair.first), " and ", PrintableName(pair.second));
  };
  if (images_ > 1 && first_with_.size() == 1) {
    warnings.push_back(
        absl::StrCat("all ", images_, " images have the same pixels, such as ", named(copy_)));
  } else if (in_other_class_ > 0) {
    warnings.push_back(absl::StrCat(
        in_other_class_, in_other_class_ == 1 ? " image has" : " images have",
        " the same pixels as an image of another class, such as ", named(contradiction_)));
  } else if (copies_ > 0 && kShare * copies_ >= images_) {
    warnings.push_back(absl::StrCat(copies_, " of ", images_,
                                    " images have the same pixels as another one, such as ",
                                    named(copy_)));
  }
}

}  // namespace dl::dataset
