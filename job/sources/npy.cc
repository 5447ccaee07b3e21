#include "job/sources/npy.h"

namespace dl::job {

void NpySource::Check(nn::Mistakes& mistakes) const {
  CheckNames(class_names, label_type, mistakes);
  if (label_type == LabelType::kNone && labels) {
    mistakes.Add("a file of labels is named, but label_type is \"none\"", "Leave one of them out");
  } else if (label_type != LabelType::kNone && !labels) {
    mistakes.Add("no file of labels is named", "Name it in labels, or set label_type to \"none\"");
  }
}

}  // namespace dl::job
