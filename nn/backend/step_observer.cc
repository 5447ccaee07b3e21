#include "nn/backend/step_observer.h"

namespace dl::nn {
namespace {

thread_local StepObserver* current = nullptr;

}  // namespace

ObserverScope::ObserverScope(StepObserver* observer) : before_(current) { current = observer; }
ObserverScope::~ObserverScope() { current = before_; }

ObservedPart::ObservedPart(const StepPart& part) : observer_(current) {
  if (observer_ != nullptr) observer_->Begin(part);
}

}  // namespace dl::nn
