#pragma once

#include <cstdint>

#include "core/text/enum_names.h"
#include "core/units/result.h"

namespace jettison {

// At which step a container could not be started. (kubelet: pkg/kubelet/images/types.go,
// pkg/kubelet/kuberuntime/kuberuntime_container.go)
enum class StartFailure : std::uint8_t {
  kImageInspect,    // the runtime does not say whether it has the image
  kImageNeverPull,  // the image is missing and must not be pulled
  kImagePull,       // the image could not be pulled
  kConfig,          // what the pod asks for cannot be had: a program, a volume, a right
  kCreate,          // the container could not be created
  kRun,             // it was created, and its program could not be run
};
// The reasons of a container's state.
template <>
inline constexpr auto kNamesOf<StartFailure> = EnumNames("ImageInspectError", "ErrImageNeverPull",
                                                         "ErrImagePull",
                                                         "CreateContainerConfigError",
                                                         "CreateContainerError",
                                                         "RunContainerError");

// Whether such a start counts as a run of the container, which has ended. Otherwise there was no
// container, and the start is repeated whatever the pod's restart policy. (kubelet:
// ShouldContainerBeRestarted)
[[nodiscard]] constexpr bool CountsAsRun(StartFailure failure) {
  return failure == StartFailure::kRun;
}

// Why a container could not be started.
struct StartError {
  StartFailure failure = StartFailure::kCreate;
  Error error;
};

// The failing side of tl::expected<T, StartError>.
[[nodiscard]] inline tl::unexpected<StartError> FailStart(StartFailure failure, Error error) {
  return tl::unexpected<StartError>({failure, std::move(error)});
}

}  // namespace jettison
