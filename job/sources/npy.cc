#include "job/sources/npy.h"

namespace dl::job {

void NpySource::Check(nn::Mistakes& mistakes) const {
  CheckNames(class_names, label_type, mistakes);
  CheckNoLabel(no_label, label_type, mistakes);
  CheckLabelFiles(labels, label_type, mistakes);
}

}  // namespace dl::job
