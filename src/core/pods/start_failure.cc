#include "core/pods/start_failure.h"

namespace jettison {

std::string_view ReasonOf(StartFailure failure) {
  switch (failure) {
    case StartFailure::kImageInspect: return "ImageInspectError";
    case StartFailure::kImageNeverPull: return "ErrImageNeverPull";
    case StartFailure::kImagePull: return "ErrImagePull";
    case StartFailure::kConfig: return "CreateContainerConfigError";
    case StartFailure::kCreate: return "CreateContainerError";
    case StartFailure::kRun: return "RunContainerError";
  }
  __builtin_unreachable();
}

}  // namespace jettison
