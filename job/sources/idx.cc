#include "job/sources/idx.h"

namespace dl::job {

void IdxSource::Check(nn::Mistakes& mistakes) const {
  CheckNames(class_names, label_type, mistakes);
  CheckNoLabel(no_label, label_type, mistakes);
  RefuseClassSequence(label_type, mistakes);
  if (label_type == LabelType::kNumber) {
    mistakes.Add("label_type is \"number\", but labels of IDX are classes",
                 "Save numbers to predict with numpy.save, and use the format npy");
    return;
  }
  CheckLabelFiles(labels, label_type, mistakes);
}

}  // namespace dl::job
