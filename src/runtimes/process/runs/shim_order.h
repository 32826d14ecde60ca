#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/mounts/mount_plan.h"

namespace jettison::process {

// Each makes the text of an order to a shim, as shim/order.h reads it.

struct RunOrder {
  std::vector<std::string> command;
  std::vector<std::string> environment;
  std::vector<std::string> groups;  // names of the files that the shim is handed
  std::string working_dir;          // empty: the writable layer
  std::string rootfs;
  std::string run_dir;
  std::string mount_points_file;
  std::vector<kernel::PlannedMount> mounts;
  std::string log_path;
  std::uint64_t log_max_bytes = 0;
  int log_max_files = 0;
  std::string boot_id;
  std::uint64_t oom_kills = 0;
  int oom_score_adj = 0;
};
[[nodiscard]] std::string Format(const RunOrder& order);

// The shim is started with the mount namespace that the hook joins.
struct HookOrder {
  std::vector<std::string> command;
  std::vector<std::string> environment;
  std::vector<std::string> groups;  // as above
  std::string working_dir;          // empty: the writable layer
  std::string rootfs;
  int oom_score_adj = 0;
};
[[nodiscard]] std::string Format(const HookOrder& order);

// A string that cannot be handed over, because it holds a NUL; absent when all can.
[[nodiscard]] std::optional<std::string> UnspeakableWord(const std::vector<std::string>& words);

}  // namespace jettison::process
