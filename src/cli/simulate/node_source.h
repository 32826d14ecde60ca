#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/simulate/fleet_files.h"
#include "cli/simulate/one_node.h"
#include "cli/simulate/recording_faults.h"
#include "cli/simulate/simulated_file.h"
#include "core/recording/recording.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// The recordings of one node as one, in the order of time. An item that two recordings contain is
// delivered once. A fault is noted with its file, and the faulty part is left out; reading never
// fails.
class NodeSource final : public RecordingSource {
 public:
  // `node` must outlive this. Without a name it is the first one that the recording names.
  explicit NodeSource(const FleetNodeFiles& node) : node_(node) {}

  [[nodiscard]] Result<std::optional<RecordedItem>> Next() override;

  // How much has been read, from 0 to 1.
  [[nodiscard]] double Progress() const;

  // What was read, and what was not; of each file, once nothing follows.
  [[nodiscard]] std::vector<SimulatedInput> TakeInputs();

 private:
  [[nodiscard]] bool OpenNext();
  void Close();
  void Note(const Error& fault);
  [[nodiscard]] bool IsToBeTold(const RecordedItem& item);
  [[nodiscard]] bool TakeAbout(const RecordingAbout& about);
  [[nodiscard]] RecordedItem Tell(RecordedItem item);
  [[nodiscard]] bool IsTold(Instant at) const;

  const FleetNodeFiles& node_;
  std::optional<SimulatedFile> file_;  // that is read
  std::optional<OneNode> own_;         // what it has of the node
  std::size_t next_ = 0;               // file
  std::vector<SimulatedInput> inputs_;
  RecordingFaults faults_;  // of the last of them
  ToldStarts starts_;
  ToldSpan* told_ = nullptr;             // since the start of what is read; null: none is named
  bool goes_on_ = false;                 // the start was read before
  std::optional<RecordingAbout> about_;  // the start of what is read
  std::optional<RecordingAbout> told_about_;  // and of what was told last
  std::optional<RecordedItem> held_;          // that follows the start
};

}  // namespace jettison
