#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/pods/start_failure.h"
#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"
#include "runtimes/process/shim/protocol.h"

namespace jettison::process {

// Keeps the file of a program in memory, as it is now. To start a program the kernel reads its
// first page, and whoever starts it (posix_spawn) waits for that; without this the page may have to
// come from a disk that others saturate. A file that is put in its place later is another file.
class ResidentProgram {
 public:
  // Reads the file, at most 4 MiB of it. Where it cannot be mapped nothing is kept: it may be
  // missing, and the program starts as soon as it is there.
  explicit ResidentProgram(const std::string& path);
  ResidentProgram(const ResidentProgram&) = delete;
  ResidentProgram& operator=(const ResidentProgram&) = delete;
  ~ResidentProgram();

 private:
  void* pages_ = nullptr;
  std::size_t bytes_ = 0;
};

// What a shim is given beside its order.
struct HandedToShim {
  std::vector<ProcsFile> groups;                    // that its process joins
  const FileDescriptor* mount_namespace = nullptr;  // that a hook joins
};

// One shim: its handle and, where this process has started it, the conversation with it.
class ShimProcess {
 public:
  // One of an earlier agent.
  ShimProcess(pid_t pid, FileDescriptor pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}
  // Starts the program `shim_path` in a session of its own with an order (see shim_order.h).
  // `label` is what process lists show.
  [[nodiscard]] static Result<ShimProcess> Start(const std::string& shim_path,
                                                 const std::string& order, const std::string& label,
                                                 HandedToShim handed = {});

  // The next message; absent when there is none now. kUnavailable once the shim has closed its end.
  [[nodiscard]] Result<std::optional<shim::Message>> Receive();
  // Ends the conversation; the handle stays.
  void HangUp() { socket_.Close(); }
  // Reaps it without waiting: its exit status (128 + n after signal n) once it has ended.
  [[nodiscard]] std::optional<int> Reap();

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int socket() const { return socket_.get(); }
  [[nodiscard]] const FileDescriptor& pidfd() const { return pidfd_; }

 private:
  ShimProcess() = default;

  pid_t pid_ = 0;
  FileDescriptor socket_;
  FileDescriptor pidfd_;
};

// What a start that fails for its groups was about.
inline constexpr const char* kIntoGroups = "put the process into its control groups";

// What an order calls them.
[[nodiscard]] std::vector<std::string> NamesOf(const std::vector<ProcsFile>& groups);

// What a shim could not do, as a sentence: "cannot execute \"foo\": No such file or directory".
[[nodiscard]] Error ErrorOf(const shim::Message& message);
// The same of a container's start. What a machine has too little of just now counts as no run.
[[nodiscard]] StartError StartErrorOf(const shim::Message& message);

}  // namespace jettison::process
