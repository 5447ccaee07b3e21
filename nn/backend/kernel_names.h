// Records which kernels a thread binds, so that users can be shown which kernels compute a layer.
#pragma once

#include <string>
#include <vector>

namespace dl::nn {

// Appends the name (Primitive::name) of each primitive that this thread binds to `names`, in the
// order of the calls of Primitive::Bind, until the destruction. Scopes can be nested: the innermost
// scope gets the names. REQUIRES: `names` outlives this object; the same thread destroys it.
class KernelNamesScope {
 public:
  explicit KernelNamesScope(std::vector<std::string>& names);
  ~KernelNamesScope();
  KernelNamesScope(const KernelNamesScope&) = delete;
  KernelNamesScope& operator=(const KernelNamesScope&) = delete;

 private:
  std::vector<std::string>* const before_;
};

// Appends `name` to the names of this thread's innermost scope. Without a scope, does nothing.
void AddKernelName(const std::string& name);

}  // namespace dl::nn
