#pragma once

#include <cstddef>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/recording/recording_file.h"
#include "cli/simulate/fleet_files.h"
#include "cli/simulate/input_stream.h"
#include "codec/recordings/scenario_reader.h"
#include "core/recording/recording.h"
#include "kernel/files/line_reader.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// A recording out of scenarios, one a line, as `jettison replay` takes them: what /api/v1/cycles
// answers, above all. Each step is a pass; what it did is found by making it again. A record that
// comes twice, because the agent was asked twice or a file is there twice, is passed over.
class ScenarioSource final : public RecordingSource {
 public:
  // `name` is for messages; the stream must outlive this.
  ScenarioSource(std::string name, std::FILE* stream)
      : name_(std::move(name)), lines_(stream, ScenarioReader::kPadding) {}

  [[nodiscard]] Result<std::optional<RecordedItem>> Next() override;

 private:
  [[nodiscard]] Result<void> Read(std::string_view record);
  [[nodiscard]] std::shared_ptr<const PodFacts> Shared(const PodFacts& facts);

  std::string name_;
  LineReader lines_;
  ScenarioReader reader_;
  Scenario scenario_;
  std::deque<RecordedItem> ready_;
  std::map<std::string, std::shared_ptr<const PodFacts>, std::less<>> pods_;  // by UID
  std::shared_ptr<const PassPolicy> policy_;
  std::set<std::string> known_;  // hashes of the records that were read
  std::optional<std::uint64_t> last_number_;
  std::optional<Instant> last_at_;
};

// What is simulated: a recording, or scenarios, in a file or on standard input ("-"), told apart by
// how they begin.
class SimulatedFile {
 public:
  // Fails where it cannot be opened.
  [[nodiscard]] static Result<SimulatedFile> Open(const std::string& path);

  [[nodiscard]] RecordingSource& source();
  [[nodiscard]] const std::string& name() const { return name_; }
  // Whether these are scenarios, which name no node.
  [[nodiscard]] bool has_scenarios() const { return scenarios_ != nullptr; }
  // The bytes that it is read from.
  [[nodiscard]] InputStream& stream() { return *stream_; }
  [[nodiscard]] const InputStream& stream() const { return *stream_; }

 private:
  std::string name_;
  std::unique_ptr<InputStream> stream_;
  // One of the two.
  std::optional<RecordingFile> recording_;
  std::unique_ptr<ScenarioSource> scenarios_;
};

// What a recording has of one node. Items of another node, because recordings of several were put
// together, are left out; where they begin is a fault, once for each other node.
class OneNode final : public RecordingSource {
 public:
  // `source` must outlive this. Without a `node` it is the first one that the recording names.
  explicit OneNode(RecordingSource& source, std::string node = "")
      : source_(source), node_(std::move(node)) {}

  [[nodiscard]] Result<std::optional<RecordedItem>> Next() override;

 private:
  // Takes who the following items are of; false: another node.
  [[nodiscard]] bool IsOurs(const RecordingAbout& about);

  RecordingSource& source_;
  std::string node_;  // empty: not named yet
  bool is_ours_ = true;
  std::set<std::string> strangers_;  // that were told
};

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
