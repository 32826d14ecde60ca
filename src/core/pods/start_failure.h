#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

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
inline constexpr std::array kAllStartFailures = {
    StartFailure::kImageInspect, StartFailure::kImageNeverPull, StartFailure::kImagePull,
    StartFailure::kConfig,       StartFailure::kCreate,         StartFailure::kRun};

[[nodiscard]] constexpr std::size_t IndexOf(StartFailure failure) {
  return static_cast<std::size_t>(failure);
}
[[nodiscard]] constexpr std::string_view ReasonOf(StartFailure failure) {
  constexpr auto kReasons = std::to_array<std::string_view>(
      {"ImageInspectError", "ErrImageNeverPull", "ErrImagePull", "CreateContainerConfigError",
       "CreateContainerError", "RunContainerError"});
  return kReasons[IndexOf(failure)];
}

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
