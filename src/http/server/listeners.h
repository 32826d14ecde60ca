#pragma once

#include <array>
#include <optional>

#include "http/server/clients.h"
#include "http/server/connections.h"
#include "http/server/poller.h"

namespace jettison::http {

// The sockets that new clients come by, as long as there is room for them.
class Listeners {
 public:
  // Either descriptor may be -1. All must outlive this.
  Listeners(int unix_socket, int tcp_socket, Connections& connections, Clients& clients,
            Poller& poller)
      : unix_socket_(unix_socket),
        sockets_{unix_socket, tcp_socket},
        connections_(connections),
        clients_(clients),
        poller_(poller) {}

  [[nodiscard]] Result<void> Watch();
  [[nodiscard]] bool Has(int descriptor) const;
  // Takes another unix socket instead of the present one, which may be closed then.
  [[nodiscard]] Result<void> ReplaceUnix(int unix_socket);
  // Takes in some that wait there.
  void Accept(int listener);
  // Takes in new ones again where there was no room, if there is now.
  void GoOn();
  // When GoOn is due although nothing has happened.
  [[nodiscard]] std::optional<SteadyTime> pause() const { return pause_; }

 private:
  // Whether one more client may be taken in; makes room for one that waits there.
  bool HasRoom(int listener);
  void SetListening(bool listening);

  int unix_socket_;
  std::array<int, 2> sockets_;
  Connections& connections_;
  Clients& clients_;
  Poller& poller_;
  bool is_listening_ = true;
  std::optional<SteadyTime> pause_;  // none is taken in before
};

}  // namespace jettison::http
