#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/recording/recording_file.h"
#include "cli/simulate/fleet_files.h"
#include "core/recording/recording.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// So many faults of one recording are told; the others are counted.
inline constexpr std::size_t kMostRecordingFaults = 20;

// What is wrong with a recording that is read, fault by fault.
class RecordingFaults {
 public:
  void Add(const std::string& fault);
  // The same fault came so often, one after the other, that reading does not go on.
  [[nodiscard]] bool IsStuck() const { return repeated_ >= kMostRecordingFaults; }
  // The first of them, and how many there are beside those; whether the rest was given up.
  [[nodiscard]] std::vector<std::string> Told() const;
  // An item was read since the last fault.
  void NoteProgress() { repeated_ = 0; }

 private:
  std::vector<std::string> told_;
  std::size_t more_ = 0;
  std::string last_;
  std::size_t repeated_ = 0;  // times that `last_` came without an item in between
};

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
  [[nodiscard]] Result<std::optional<RecordedItem>> NextOfFile();
  [[nodiscard]] bool OpenNext();
  void Close();
  void Note(const Error& fault);
  [[nodiscard]] bool IsToBeTold(const RecordedItem& item);
  [[nodiscard]] bool TakeAbout(const RecordingAbout& about);
  [[nodiscard]] RecordedItem Tell(RecordedItem item);
  [[nodiscard]] bool IsTold(Instant at) const;

  const FleetNodeFiles& node_;
  std::optional<RecordingFile> file_;  // that is read
  std::string name_;                   // of the node; empty: the file has named none yet
  bool is_ours_ = true;                // what is read is of that node
  std::set<std::string> strangers_;    // other nodes of the file that were told
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
