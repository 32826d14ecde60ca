#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/system_error.h"

namespace jettison {

// Moves a process into a group, as a shim does it: by its files in all hierarchies.
[[nodiscard]] inline Result<void> JoinGroup(Cgroups& groups, std::string_view path, pid_t pid) {
  const auto files = groups.OpenProcs(path);
  if (!files) return Fail(files.error());
  const std::string text = std::to_string(pid);
  for (const ProcsFile& each : *files) {
    if (::write(each.file.get(), text.data(), text.size()) < 0) return FailErrno(each.name);
  }
  return {};
}

}  // namespace jettison
