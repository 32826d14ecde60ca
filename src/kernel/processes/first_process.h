#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units/result.h"
#include "kernel/processes/processes.h"
#include "ports/cgroups.h"

namespace jettison {

// The name of the group directly below `parent` that is the container's, by the ID in it.
// kNotFound: there is none.
[[nodiscard]] Result<std::string> GroupOfContainer(Cgroups& cgroups, const std::string& parent,
                                                   std::string_view id);

// Which processes in a container's group count.
enum class Counts : std::uint8_t {
  kAll,
  kStarted,  // not those with which runc makes the container, or that it keeps in one until it is
             // started
};

struct FirstProcess {
  pid_t pid = 0;
  std::uint64_t began = 0;  // in ticks since the boot; 0: /proc does not show the process
};

// The first process of a container, by its group: among those whose parent is not in the group (the
// container's own, and processes of later execs), the one that began first. A process that /proc
// hides (hidepid) counts where it shows none. Absent: nothing runs in the group. kNotFound: there
// is no such group.
[[nodiscard]] Result<std::optional<FirstProcess>> FirstProcessIn(Processes& processes,
                                                                 Cgroups& cgroups,
                                                                 std::string_view group,
                                                                 Counts counts = Counts::kAll);

}  // namespace jettison
