// The names of the classes of CIFAR, by their numbers, as its authors list them.
#pragma once

#include <string>
#include <vector>

namespace dl::dataset {

const std::vector<std::string>& Cifar10Classes();
const std::vector<std::string>& Cifar100FineClasses();
const std::vector<std::string>& Cifar100CoarseClasses();

}  // namespace dl::dataset
