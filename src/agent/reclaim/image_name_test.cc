#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "agent/reclaim/image_collector.h"

namespace jettison {
namespace {

TEST(ImageName, IsCompletedAsARuntimeDoes) {
  constexpr std::array<std::pair<const char*, const char*>, 15> kRows = {{
      {"busybox", "docker.io/library/busybox:latest"},
      {"busybox:1.36", "docker.io/library/busybox:1.36"},
      {"someone/app", "docker.io/someone/app:latest"},
      {"docker.io/busybox", "docker.io/library/busybox:latest"},
      {"index.docker.io/busybox", "docker.io/library/busybox:latest"},
      {"docker.io/library/busybox:1", "docker.io/library/busybox:1"},
      {"registry.k8s.io/pause:3.9", "registry.k8s.io/pause:3.9"},
      {"registry:5000/app", "registry:5000/app:latest"},
      {"localhost/app", "localhost/app:latest"},
      {"localhost:5000/a/b:2", "localhost:5000/a/b:2"},
      {"Host/app", "Host/app:latest"},
      {"app@sha256:0a", "docker.io/library/app@sha256:0a"},
      {"r.io/app:1@sha256:0a", "r.io/app@sha256:0a"},
      {"", "docker.io/library/:latest"},
      {"r.io/", "r.io/:latest"},
  }};
  for (const auto& [name, full] : kRows) EXPECT_EQ(FullImageName(name), full) << name;
}

}  // namespace
}  // namespace jettison
