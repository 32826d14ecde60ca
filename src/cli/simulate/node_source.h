#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cli/recording/recording_file.h"
#include "core/recording/recording.h"
#include "core/units/duration.h"
#include "core/units/result.h"
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

// So many faults of one recording are told; the others are counted.
inline constexpr std::size_t kMostRecordingFaults = 20;

// The recordings of one node as one, in the order of time. What is read again, because recordings
// overlap or one is there twice, is delivered once. Of a recording of several nodes only the first
// one counts. A fault is noted with its file, and the faulty part is left out; reading never fails.
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
  // Of an agent, which is known by its time, too; the imports of a node are one.
  using Start = std::tuple<std::string, std::string, Profile, Instant>;

  [[nodiscard]] bool OpenNext();
  void Close();
  void Note(const Error& fault);
  [[nodiscard]] bool IsNewStart(const RecordingAbout& about);
  [[nodiscard]] bool IsNew(const RecordedItem& item);

  const FleetNodeFiles& node_;
  std::optional<RecordingFile> file_;  // that is read
  std::string name_;                   // of the node; empty: the file has named none yet
  bool is_ours_ = true;                // what is read is of that node
  bool has_others_ = false;            // the file has parts of another one
  std::size_t next_ = 0;               // file
  std::vector<SimulatedInput> inputs_;
  std::size_t more_faults_ = 0;                   // of the last of them
  std::map<Start, std::optional<Instant>> told_;  // when the last pass of each was
  Start start_;                                   // of what is read
  std::optional<Instant> until_;                  // so much of it was told before
};

}  // namespace jettison
