#pragma once

#include <recording.pb.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/recording/recording.h"
#include "core/units/result.h"

namespace jettison {

// Makes items of the messages that an ItemEncoder has made.
class ItemDecoder {
 public:
  // The next message. Absent: it is what later ones refer to. kInvalidArgument: it makes no sense.
  [[nodiscard]] Result<std::optional<RecordedItem>> Take(const recording::Item& message);
  // A message is missing, perhaps a pass: the state that it left is not known. The next pass begins
  // with an empty one if it has none of its own.
  void Lose() { state_.reset(), has_lost_ = true; }

 private:
  using PodFactsList = std::vector<std::shared_ptr<const PodFacts>>;

  [[nodiscard]] Result<void> TakePolicy(const recording::Policy& message);
  [[nodiscard]] Result<void> TakePod(const recording::Pod& message);
  [[nodiscard]] Result<RecordedItem> TakePass(const recording::Pass& message);
  [[nodiscard]] Result<void> TakeSummary(const recording::Pass& message, RecordedPass& into);
  [[nodiscard]] Result<void> TakeReport(const recording::Pass& message, RecordedPass& into);

  std::optional<RecordingAbout> about_;
  std::map<std::uint32_t, std::shared_ptr<const PassPolicy>> policies_;
  std::map<std::uint32_t, std::shared_ptr<const PodFacts>> pods_;
  NodeStats node_;                             // of the pass before
  std::map<std::uint32_t, PodStats> figures_;  // told last
  std::vector<std::uint32_t> order_;           // of those of the pass before
  PodFactsList active_;                        // of the pass before
  std::optional<EvictionState> state_;         // that it left
  bool has_lost_ = false;
};

}  // namespace jettison
