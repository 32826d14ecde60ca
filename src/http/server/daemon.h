#pragma once

#include <microhttpd.h>
#include <sys/socket.h>

#include <memory>

#include "core/units/result.h"
#include "http/server/connections.h"
#include "http/tls_files.h"

namespace jettison::http {

// The events of libmicrohttpd, in the order in which it reports them for one connection.
class DaemonEvents {
 public:
  virtual ~DaemonEvents() = default;
  // The first line of a request is there; `target` is its path and query as sent.
  virtual void OnTarget(Connection& connection, const char* target) = 0;
  // The head of the request; then each part of its body; then that all of it is there (no bytes).
  // False: the connection is to be closed. An answer may be queued at the first and at the last
  // call.
  virtual bool OnRequest(Connection& connection, MHD_Connection* handle, const char* path,
                         const char* method, const char* version, std::string_view bytes) = 0;
  // The answer is out, or the connection broke meanwhile.
  virtual void OnAnswered(Connection& connection) = 0;
  virtual void OnClosed(Connection& connection) = 0;
};

// A daemon of libmicrohttpd that is given its connections, has no thread and waits for nothing: Run
// does what can be done now.
class Daemon {
 public:
  // `tls`: null for plain HTTP. `connections` must hold whoever is added, and both outlive this.
  [[nodiscard]] static Result<std::unique_ptr<Daemon>> Start(const HttpLimits& limits,
                                                             const TlsFiles* tls,
                                                             const Connections& connections,
                                                             DaemonEvents& events);
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  // Closes every connection. None may be suspended.
  ~Daemon();

  // Takes over the socket, whose Connection is in `connections` already; false: it is closed.
  [[nodiscard]] bool Add(int socket, const sockaddr* address, socklen_t size);
  void Run();
  // Readable when there is something to do.
  [[nodiscard]] int descriptor() const;
  // Whether there is something to do although the descriptor is not readable.
  [[nodiscard]] bool HasWork() const;
  // What a connection takes of memory, at most: its head, and what is read and written.
  [[nodiscard]] static std::size_t MemoryFor(const HttpLimits& limits);

 private:
  Daemon(const Connections& connections, DaemonEvents& events)
      : connections_(connections), events_(events) {}

  static void* TellTarget(void* self, const char* target, MHD_Connection* handle);
  static MHD_Result TellRequest(void* self, MHD_Connection* handle, const char* path,
                                const char* method, const char* version, const char* bytes,
                                size_t* size, void** seen);
  static void TellAnswered(void* self, MHD_Connection* handle, void** seen,
                           MHD_RequestTerminationCode why);
  static void TellConnection(void* self, MHD_Connection* handle, void** place,
                             MHD_ConnectionNotificationCode what);

  const Connections& connections_;
  DaemonEvents& events_;
  MHD_Daemon* daemon_ = nullptr;
};

}  // namespace jettison::http
