#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/recording/recording_file.h"
#include "core/recording/recording.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "sim/report/simulation_head.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// A file with a recording of some node of a fleet.
struct FleetFile {
  std::string name;  // below the folder that was given; as it was given, where it is a file
  std::string path;  // "-": standard input
  std::uint64_t bytes = 0;
  // As it begins; its name without extension, where it names none; empty: of a stream.
  std::string node;
  bool is_stream = false;       // it can be read only once
  std::optional<Instant> from;  // when it begins; absent: that cannot be read
};

// The files of one node, in the order of time.
struct FleetNodeFiles {
  std::string node;
  std::vector<FleetFile> files;
};

// Every recording in these files and folders, and in folders below those, by name. In folders those
// are files that end in .jtr, .ndjson or .jsonl. A stream (standard input, a pipe, a device) stands
// alone, because recordings of several nodes are read more than once. Fails with every fault, a
// line each, and where there is no recording.
[[nodiscard]] Result<std::vector<FleetFile>> FindRecordings(const std::vector<std::string>& paths);

// The nodes of a shard, by name.
[[nodiscard]] std::vector<FleetNodeFiles> NodesOfShard(const std::vector<FleetFile>& files,
                                                       const FleetShard& shard);

// A hash of the names, sizes and nodes of all files.
[[nodiscard]] std::string HashOfFiles(const std::vector<FleetFile>& files);

// Reads and checks the lines of a shard's result.
class ShardLines {
 public:
  // The first line. kUnavailable: it is of another version.
  [[nodiscard]] Result<void> TakeHead(std::string_view line);
  // Any other line; nothing where it is the end.
  [[nodiscard]] Result<std::optional<SimulationReport>> TakeNode(std::string_view line);

  [[nodiscard]] const SimulationHead& head() const { return head_; }

 private:
  SimulationHead head_;
  std::string last_node_;
  std::uint64_t nodes_ = 0;
};

// What these paths mean: files, and of folders those that end in .ndjson. A folder without any, and
// what cannot be read, is left to Open.
[[nodiscard]] std::vector<std::string> FilesOfShards(const std::vector<std::string>& paths);

// The results of all shards of a fleet as one, in the order of nodes.
class ShardFiles {
 public:
  // Fails with every fault, a line each: what cannot
  // be read, what does not belong together, shards that come twice, and shards that are
  // missing unless `partial`.
  [[nodiscard]] static Result<ShardFiles> Open(const std::vector<std::string>& paths, bool partial);
  ShardFiles(ShardFiles&&) noexcept;
  ShardFiles& operator=(ShardFiles&&) noexcept;
  ~ShardFiles();

  // With the shards that are missing.
  [[nodiscard]] const SimulationHead& head() const { return head_; }
  // The next node; nothing: this was the last one. Fails where a file is damaged or cut off.
  [[nodiscard]] Result<std::optional<SimulationReport>> Next();

 private:
  class File;
  ShardFiles();

  SimulationHead head_;
  std::vector<std::unique_ptr<File>> files_;
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
  StartsRead starts_;
  SpanRead* told_ = nullptr;             // since the start of what is read; null: none is named
  bool goes_on_ = false;                 // the start was read before
  std::optional<RecordingAbout> about_;  // the start of what is read
  std::optional<RecordingAbout> told_about_;  // and of what was told last
  std::optional<RecordedItem> held_;          // that follows the start
};

}  // namespace jettison
