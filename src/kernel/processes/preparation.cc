#include "kernel/processes/preparation.h"

#include "kernel/processes/proc_files.h"

namespace jettison {

// The command line is read where the name leaves it open alone: that waits for the lock of the
// process' memory, which a program that is short of memory may hold for long.
bool IsPreparation(Processes& processes, pid_t pid, std::string_view proc_stat) {
  if (IsPrepared(proc_stat)) return true;
  if (!IsNamedLikeRunc(proc_stat)) return false;
  const auto command_line = processes.ReadFile(pid, "cmdline");
  return command_line && IsRuncInit(*command_line);
}

}  // namespace jettison
