#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/demo/demo_history.h"
#include "cli/demo/demo_peaks.h"
#include "cli/demo/demo_plain.h"
#include "cli/demo/demo_script.h"
#include "cli/demo/demo_terminal.h"
#include "cli/demo/stage/demo_manifests.h"
#include "view/snapshot.h"

namespace jettison {

// How the node is shown while the demo runs.
enum class DemoView : std::uint8_t {
  kScreen,  // live, where standard output is a terminal; else as lines
  kLines,
  kNothing,
};

// Leads the demo from one snapshot to the next: records it, opens and closes gates, shows the node.
class DemoShow {
 public:
  // `patience`: see DemoScript.
  DemoShow(DemoPaths paths, DemoFacts facts, DemoView view, int patience);

  // Takes a snapshot of the agent; once the script has ended, snapshots are only shown.
  void Observe(const Snapshot& snapshot);
  // Called by Observe when the script has ended.
  std::function<void()> on_finished;

  // Keeps the last lines of the agent's log, for the case that something went wrong.
  void KeepLogLine(std::string_view line);
  [[nodiscard]] const std::deque<std::string>& log() const { return log_; }

  [[nodiscard]] const DemoHistory& history() const { return history_; }
  [[nodiscard]] const DemoFacts& facts() const { return facts_; }
  // Gives the terminal back.
  void Close() { terminal_.reset(); }

 private:
  void Follow(const DemoCues& cues) const;
  void Show(const Snapshot& snapshot);

  DemoPaths paths_;
  DemoFacts facts_;
  DemoView view_;
  std::optional<DemoTerminal> terminal_;
  DemoScript script_;
  DemoHistory history_;
  DemoPeaks peaks_;
  DemoLines lines_;
  bool finished_ = false;
  std::optional<Instant> drawn_at_;
  std::deque<std::string> log_;
};

}  // namespace jettison
