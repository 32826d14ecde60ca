#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "platform/http/client.h"
#include "platform/http/client_tls.h"
#include "platform/http/endpoint.h"
#include "ports/file_descriptor.h"
#include "units/result.h"

namespace jettison::http {

using Deadline = std::chrono::steady_clock::time_point;

// Waits until the socket is ready for `events` (poll(2)); kDeadlineExceeded where it is not in
// time.
[[nodiscard]] Result<void> WaitFor(int socket, short events, Deadline deadline);

// A connection to a server, plain or with TLS.
class ClientWire {
 public:
  [[nodiscard]] static Result<ClientWire> Connect(const HttpTarget& target, Deadline deadline);

  [[nodiscard]] Result<void> Send(std::string_view bytes, Deadline deadline);
  // What is there, waiting for it; empty: the server has ended the connection.
  [[nodiscard]] Result<std::string> Receive(Deadline deadline);
  // The same without waiting; absent: nothing is there.
  [[nodiscard]] Result<std::optional<std::string>> TryReceive();

  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
  [[nodiscard]] int descriptor() const { return socket_.get(); }

 private:
  ClientWire(Endpoint endpoint, FileDescriptor socket)
      : endpoint_(std::move(endpoint)), socket_(std::move(socket)) {}

  Endpoint endpoint_;
  FileDescriptor socket_;
  std::unique_ptr<ClientTls> tls_;  // null: plain
};

}  // namespace jettison::http
