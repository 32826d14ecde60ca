#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/kubernetes/objects.h"
#include "api/watch.h"
#include "core/units/duration.h"
#include "http/message.h"
#include "view/board.h"
#include "view/snapshot.h"

namespace jettison {

// What the endpoints answer from.
struct ApiSources {
  Board& board;
  HostFacts host;
  std::function<Instant()> now;                // a clock that does not step back, near the agent's
  Instant started_at;                          // by it
  std::function<void()> wake_streams = [] {};  // as HttpServer::WakeStreams; from every thread
};

// The HTTP API: every path with what is answered there, in one table (api.cc). Used by one thread,
// the server's; only News is the agent's to call.
class Api {
 public:
  // What `sources` refers to must outlive this, and the streams that it opened.
  explicit Api(ApiSources sources);

  // Never fails: what cannot be answered is told by a Status object.
  [[nodiscard]] HttpResponse Answer(const HttpRequest& request);
  [[nodiscard]] const std::shared_ptr<Watch>& watch() const { return watch_; }

 private:
  ApiSources sources_;
  std::shared_ptr<Watch> watch_;
  Instant scraped_at_ = Instant::min();
};

}  // namespace jettison
