#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/summary.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "kernel/procfs/parse.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Figures of the whole machine. Its files stay open and are read anew each time; a reading is one
// system call a file. Reading is safe from any thread.
class Procfs {
 public:
  // `root`: where proc is mounted. Fails where one of the files is missing, zoneinfo excepted.
  [[nodiscard]] static Result<Procfs> Open(const std::string& root = "/proc");

  [[nodiscard]] Result<procfs::MachineMemory> ReadMemory() const;
  // Bytes that are free in the lists of the processors (procfs::ParseListedPages), 10 us on a small
  // machine; 0 where zoneinfo cannot be read.
  [[nodiscard]] std::uint64_t ReadListed() const;
  // max_pid is the smaller of kernel.pid_max and kernel.threads-max, running the tasks of the whole
  // system; time is left absent. pid_max belongs to the PID namespace of the agent (Linux 6.14).
  [[nodiscard]] Result<RlimitStats> ReadRlimit() const;

 private:
  struct File {
    std::string path;  // for messages
    FileDescriptor fd;
  };
  [[nodiscard]] static Result<File> OpenFile(const std::string& path);

  Procfs() = default;
  File meminfo_;
  File loadavg_;
  File pid_max_;
  File threads_max_;
  FileDescriptor zoneinfo_;
};

// What the calling process itself takes up.
struct OwnProcess {
  Duration cpu{0};  // of all its threads, in the kernel too
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::optional<std::uint64_t> open_fds;  // absent where the kernel does not count them (below 6.2)
  std::optional<std::uint64_t> max_fds;   // the soft limit; absent: none
};

// Costs a few system calls, however much the process has open. Safe from any thread. `root`: where
// proc is mounted.
[[nodiscard]] Result<OwnProcess> ReadOwnProcess(const std::string& root = "/proc");

}  // namespace jettison
