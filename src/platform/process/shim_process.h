#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "platform/process/shim/protocol.h"
#include "ports/file_descriptor.h"
#include "units/result.h"

namespace jettison::process {

// One shim that this process has started: its handle and the conversation with it.
class ShimProcess {
 public:
  // Starts the program `shim_path` in a session of its own with an order (see shim_order.h).
  // `label` is what process lists show. A hook is handed the `mount_namespace` that it joins.
  [[nodiscard]] static Result<ShimProcess> Start(const std::string& shim_path,
                                                 const std::string& order, const std::string& label,
                                                 const FileDescriptor* mount_namespace = nullptr);

  // The next message; absent when there is none now. kUnavailable once the shim has closed its end.
  [[nodiscard]] Result<std::optional<shim::Message>> Receive();
  void SendGo();
  // Ends the conversation: a shim that was not told to go gives up.
  void HangUp() { socket_.Close(); }
  // Reaps it without waiting: its exit status (128 + n after signal n) once it has ended.
  [[nodiscard]] std::optional<int> Reap();
  // Waits at most `timeout_ms` for its end; whether it has ended.
  [[nodiscard]] bool WaitForEnd(int timeout_ms) const;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int socket() const { return socket_.get(); }
  [[nodiscard]] const FileDescriptor& pidfd() const { return pidfd_; }

 private:
  pid_t pid_ = 0;
  FileDescriptor socket_;
  FileDescriptor pidfd_;
};

// What a shim could not do, as a sentence: "cannot execute \"foo\": No such file or directory".
[[nodiscard]] Error ErrorOf(const shim::Message& message);

}  // namespace jettison::process
