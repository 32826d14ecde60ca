#pragma once

#include <memory>

#include "http/server/connections.h"
#include "http/server/credentials.h"
#include "http/server/daemon.h"
#include "http/server/responder.h"
#include "http/server/streams.h"
#include "ports/file_descriptor.h"

namespace jettison::http {

// The clients that are there, with the daemons of libmicrohttpd that talk with them: one for plain
// HTTP, one for TLS.
class Clients {
 public:
  // What they are, which must outlive them.
  struct Parts {
    const HttpLimits& limits;
    const HttpErrorAnswer& error_answer;
    Connections& connections;
    HeldMemory& held;
    Streams& streams;
    DaemonEvents& events;
  };
  // `tls`: absent for plain HTTP on TCP as well; it must outlive this until others are taken.
  [[nodiscard]] static Result<std::unique_ptr<Clients>> Start(const Parts& parts,
                                                              const std::optional<TlsFiles>& tls);
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;
  // Closes every connection.
  ~Clients();

  // Takes one in.
  void Add(FileDescriptor socket, bool is_unix);
  // Closes the oldest connection that has no whole request. Returns whether there is room now.
  bool MakeRoom();
  void CutOverdue();
  void Cut(Connection& connection);
  // Starts the daemon that is to answer with other certificates, so that nothing is left that could
  // fail when they are to be used. On every thread.
  [[nodiscard]] Result<void> PrepareTls(Credentials& fresh) const;
  // Closes the connections that use the previous certificates, which are no longer valid.
  void UseTls(std::unique_ptr<Credentials> fresh);

  // Does what can be done now.
  void Run();
  // Whether there is something to do although no descriptor is readable.
  [[nodiscard]] bool HaveWork() const;
  // Readable when there is something to do; the second is -1 without TLS.
  [[nodiscard]] std::pair<int, int> descriptors() const;

 private:
  explicit Clients(const Parts& parts) : parts_(parts) {}
  [[nodiscard]] Share ShareOfConnection(bool is_tls);

  Parts parts_;
  std::unique_ptr<Daemon> plain_;
  std::unique_ptr<Credentials> used_;  // outlives the daemon that was made of it
  std::unique_ptr<Daemon> tls_;        // null without TLS
};

}  // namespace jettison::http
