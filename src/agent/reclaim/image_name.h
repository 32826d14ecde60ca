#pragma once

#include <string>
#include <string_view>

namespace jettison {

// The name under which runtimes list an image that a manifest names: "busybox" is
// "docker.io/library/busybox:latest", "a/b:1" is "docker.io/a/b:1". A first part with a dot, a
// colon or a capital, and "localhost", is a registry and stays. A digest stands in for the tag
// beside it. Names are not checked; an ID ("sha256:...") means nothing here.
// Source: distribution/reference, ParseDockerRef; containerd looks images up by it.
[[nodiscard]] std::string FullImageName(std::string_view name);

}  // namespace jettison
