// Names of the classes of CIFAR in the order of their numbers, as listed by its authors.
#pragma once

#include <string>
#include <vector>

namespace dl::dataset {

const std::vector<std::string>& Cifar10Classes();
const std::vector<std::string>& Cifar100FineClasses();
const std::vector<std::string>& Cifar100CoarseClasses();

}  // namespace dl::dataset
