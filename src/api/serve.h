#pragma once

#include <memory>
#include <string>

#include "core/config/agent_config.h"
#include "core/units/result.h"
#include "view/board.h"

namespace jettison {

// The HTTP API of an agent, served beside it on a thread of its own until this is destroyed.
class Serving {
 public:
  // Opens what the configuration names; null where it names nothing. Calls of the board's OnNews
  // are taken over. `board` must outlive this, and is told where it is answered. kInvalidArgument
  // where the configuration is at fault. What the machine refuses for now (an address that is
  // taken, a full disk, no descriptor) is said on the board and tried again every 2 s.
  [[nodiscard]] static Result<std::unique_ptr<Serving>> Open(const HttpConfig& config,
                                                             Board& board);
  virtual ~Serving() = default;

  // Reads the files of certificates and tokens again, which `config` may name anew, and keeps what
  // they hold until UseCredentials. Of the rest of `config` nothing is taken over: a file that it
  // names and the running configuration does not is not read, and a kind of credentials that it
  // names no more stays in use. On any thread. Errors say what is wrong; then nothing has changed.
  [[nodiscard]] virtual Result<void> ReadCredentials(const HttpConfig& config) = 0;
  virtual void UseCredentials() = 0;
};

}  // namespace jettison
