#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace jettison {

// What the specification of a container (config.json of the Open Container Initiative) says of it.
// What is not there, or is something else, is absent.
struct ContainerSpec {
  std::map<std::string, std::string> annotations;
  std::string cgroups_path;                 // linux.cgroupsPath; empty: the runtime's choice
  std::optional<std::uint64_t> cpu_shares;  // linux.resources.cpu.shares: 1024 a CPU
};
[[nodiscard]] ContainerSpec ReadSpec(std::string_view json);

// The same out of the entry "info" of a verbose ContainerStatus, where containerd and CRI-O put the
// specification as "runtimeSpec".
[[nodiscard]] ContainerSpec ReadSpecInInfo(std::string_view info);

// The control group that a specification declares, by the group in which a process of it is, from
// the root of the hierarchy: a path is the group itself; "slice:prefix:name", for the systemd
// driver, is the scope of that name. Empty where the process is in another one, or none is
// declared.
[[nodiscard]] std::string DeclaredGroup(std::string_view group, std::string_view cgroups_path);

// What CPU shares ask for, in thousandths of a CPU, rounded up; absent for the least that there are
// (2), which the kubelet gives to who asks for nothing. (kubelet: sharesToMilliCPU)
[[nodiscard]] std::optional<std::int64_t> MilliCpuOf(std::uint64_t shares);

}  // namespace jettison
