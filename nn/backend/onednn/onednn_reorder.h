// Copies between layouts with oneDNN.
#pragma once

#include "nn/backend/primitive.h"

namespace dl::nn {

// Has the contract of Reorder (nn/backend/primitive.h).
StatusOr<Primitive> OnednnReorder(const Layout& from, const Layout& to);

}  // namespace dl::nn
