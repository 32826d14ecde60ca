#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/units/result.h"
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

}  // namespace jettison
