#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/pod.h"
#include "core/units/result.h"
#include "kernel/mounts/mount_plan.h"

namespace jettison::process {

// The environment of a container as "NAME=VALUE": PATH, HOME and HOSTNAME unless it sets them, then
// its own variables, each expanded with those before it. The agent's own environment is not passed
// on. Where a name is set twice, the last value counts.
[[nodiscard]] std::vector<std::string> EnvironmentOf(const Pod& pod, const Container& container);

// The program and its arguments, expanded with the container's variables. Fails where there is no
// command: there is no image to take one from.
[[nodiscard]] Result<std::vector<std::string>> CommandLineOf(const Container& container);

// What a shim is told to run: a container, or a hook beside one, for which the fields after the
// first six stay as they are.
struct ShimOrder {
  std::vector<std::string> command;
  std::vector<std::string> environment;
  std::vector<std::string> groups;  // names of the files that the shim is handed
  std::string working_dir;          // empty: the writable layer
  std::string rootfs;
  int oom_score_adj = 0;

  std::string run_dir = "";  // empty: it is a hook, and the shim is handed a mount namespace
  std::vector<kernel::PlannedMount> mounts = {};
  std::string log_path = "";
  std::string boot_id = "";
  std::uint64_t oom_kills = 0;
};
// The text of an order, as shim/order.h reads it. Fails where there is no command, or a NUL in any
// of it.
[[nodiscard]] Result<std::string> Format(const ShimOrder& order);

// Refuses a pod that relies on rights which this runtime does not give or take: its containers are
// root on the host's own filesystem, like the agent. Being root and privileged is what they get in
// any case; everything else of a securityContext fails by name, as running without it would be
// another, less safe pod.
[[nodiscard]] Result<void> CheckRights(const Pod& pod);

}  // namespace jettison::process
