#pragma once

#include "kernel/processes/processes.h"

namespace jettison {

// The processes of this machine.
class HostProcesses : public Processes {
 public:
  [[nodiscard]] Result<FileDescriptor> Open(pid_t pid) override;
  void Signal(const FileDescriptor& process, int signal) override;
  [[nodiscard]] std::optional<int> WaitStatus(const FileDescriptor& process) override;
  [[nodiscard]] Result<std::string> ReadFile(pid_t pid, std::string_view name) override;
};

}  // namespace jettison
