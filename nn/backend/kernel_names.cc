#include "nn/backend/kernel_names.h"

namespace dl::nn {
namespace {

thread_local std::vector<std::string>* current = nullptr;

}  // namespace

KernelNamesScope::KernelNamesScope(std::vector<std::string>& names) : before_(current) {
  current = &names;
}
KernelNamesScope::~KernelNamesScope() { current = before_; }

void AddKernelName(const std::string& name) {
  if (current != nullptr) current->push_back(name);
}

}  // namespace dl::nn
