#pragma once

#include <memory>
#include <string>

#include "core/config/http_configuration.h"
#include "core/units/result.h"
#include "view/board.h"

namespace jettison {

// The HTTP API of an agent, served beside it on a thread of its own until this is destroyed. A
// second thread reminds event streams of what they could not be told at once.
class Serving {
 public:
  // Opens what the configuration names; null where it names nothing. Calls of the board's OnNews
  // are taken over. `board` must outlive this. Errors say what cannot be opened and what to do.
  [[nodiscard]] static Result<std::unique_ptr<Serving>> Open(const HttpConfig& config,
                                                             Board& board);
  virtual ~Serving() = default;

  // Where it is answered, for the log: "/run/jettison/jettison.sock, 127.0.0.1:10350".
  [[nodiscard]] virtual std::string endpoints() const = 0;
  // Where the token is that was made for TCP; empty: none was.
  [[nodiscard]] virtual std::string own_token_file() const = 0;
  // Reads the files of certificates and tokens again, which `config` may name anew, and keeps what
  // they hold until UseCredentials. On any thread. Errors say what is wrong; then nothing has
  // changed.
  [[nodiscard]] virtual Result<void> ReadCredentials(const HttpConfig& config) = 0;
  virtual void UseCredentials() = 0;
};

}  // namespace jettison
