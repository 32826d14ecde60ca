#pragma once

#include <string>

namespace jettison {

// What a v1.Node tells of the machine; empty where it could not be found out.
struct HostFacts {
  std::string machine_id;
  std::string boot_id;
  std::string kernel_version;
  std::string os_image;
  std::string architecture;  // as Go names it: "amd64", "arm64"
};

// Reads them from this machine. It waits for files of /etc and /proc.
[[nodiscard]] HostFacts ReadHostFacts();

}  // namespace jettison
