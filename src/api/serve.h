#pragma once

#include <functional>
#include <memory>

#include "api/api.h"
#include "core/config/agent_config.h"
#include "core/units/result.h"
#include "http/server/server.h"
#include "machine/loop/job_queue.h"
#include "machine/loop/steady_clock.h"
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
  Serving(const HttpConfig& config, Board& board);
  ~Serving();

  // Reads the files of certificates and tokens again; what is returned, called once, uses what they
  // hold, and must not outlive this. Credentials that `config` names no more, or by another file,
  // are not read and stay in use. On any thread. Errors say what is wrong.
  [[nodiscard]] Result<std::function<void()>> ReadCredentials(const HttpConfig& config);

 private:
  void Tell(const Result<void>& listens);

  Board& board_;
  SteadyClock clock_;
  Api api_;
  const HttpConfig opened_with_;
  HttpServer server_;
  Error said_;  // why nobody is served, as it was told last
  // Destroyed, and so ended, before what it uses.
  JobQueue serving_{Threads::kHttp};
};

}  // namespace jettison
