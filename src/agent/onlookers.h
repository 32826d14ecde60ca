#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/agent_parts.h"
#include "machine/log/log.h"
#include "view/board.h"
#include "view/node_counters.h"
#include "view/snapshot.h"

namespace jettison {

// What the agent shows and only its wiring knows.
struct ShownOfNode {
  std::shared_ptr<const NodeIdentity> node;
  WalkCounters walks;
  std::uint64_t runtime_unready = 0;  // times that it did not answer when it was waited for
  std::string manifest_error;
  std::string cluster_error;
  std::string state_error;
  std::string limits_error;
  std::vector<std::string> not_guarded;
};

// Shows the agent to onlookers, on the board.
class Onlookers {
 public:
  // `board` null: nobody looks on. Everything must outlive this.
  Onlookers(const AgentParts& parts, std::shared_ptr<Board> board, const Log& log)
      : parts_(parts), board_(std::move(board)), log_(log) {}

  [[nodiscard]] Snapshot SnapshotWith(const ShownOfNode& shown) const;
  // The board is readable: an onlooker asked for a snapshot, which Show makes, or left a note.
  void NoteAsked();
  // At the end of a turn. `begun`: passes are run.
  void Show(const std::function<ShownOfNode()>& shown, bool begun, Instant now);

 private:
  const AgentParts& parts_;
  std::shared_ptr<Board> board_;
  const Log& log_;
  bool asked_ = false;
  std::uint64_t shown_passes_ = 0;  // of what the board's onlookers have been told
  std::uint64_t shown_events_ = 0;
};

}  // namespace jettison
