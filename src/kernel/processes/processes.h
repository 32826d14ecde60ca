#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

namespace jettison {

// What the kernel tells of the processes that a container runtime has started for us.
class Processes {
 public:
  virtual ~Processes() = default;

  // A handle of the process, readable when it has ended; kNotFound where there is no such process.
  [[nodiscard]] virtual Result<FileDescriptor> Open(pid_t pid) = 0;
  // Sends a signal through the handle; nothing happens where the process has ended.
  virtual void Signal(const FileDescriptor& process, int signal) = 0;
  // How a process has ended, as wait(2) reports it. Absent until its parent has reaped it, and on
  // kernels before 6.15.
  [[nodiscard]] virtual std::optional<int> WaitStatus(const FileDescriptor& process) = 0;
  // The text of /proc/PID/NAME.
  [[nodiscard]] virtual Result<std::string> ReadFile(pid_t pid, std::string_view name) = 0;
};

// The processes of this machine.
class HostProcesses : public Processes {
 public:
  [[nodiscard]] Result<FileDescriptor> Open(pid_t pid) override;
  void Signal(const FileDescriptor& process, int signal) override;
  [[nodiscard]] std::optional<int> WaitStatus(const FileDescriptor& process) override;
  [[nodiscard]] Result<std::string> ReadFile(pid_t pid, std::string_view name) override;
};

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
