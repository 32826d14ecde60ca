#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/recording/recording_file.h"
#include "cli/terminal/output.h"
#include "core/model/threshold.h"
#include "core/pass/pass.h"
#include "core/recording/recording.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "sim/recommend/recommendation.h"
#include "sim/report/simulation_report.h"
#include "sim/whatif/whatif.h"

namespace CLI {
class App;
}

namespace jettison {

// Adds `jettison simulate`, which says what policies would have done to recorded nodes.
void AddSimulate(CLI::App& app, int& exit_code);

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
// alone, because recordings of several nodes are read more than once. That there is no recording
// is a fault, too.
[[nodiscard]] std::vector<FleetFile> FindRecordings(const std::vector<std::string>& paths,
                                                    CommandFaults& faults);

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
class NodeSource {
 public:
  // `node` must outlive this. Without a name it is the first one that the recording names.
  explicit NodeSource(const FleetNodeFiles& node) : node_(node) {}

  // Absent: nothing follows.
  [[nodiscard]] std::optional<RecordedItem> Next();

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
  std::unique_ptr<RecordingFile> file_;  // that is read
  std::string name_;                     // of the node; empty: the file has named none yet
  bool is_ours_ = true;                  // what is read is of that node
  bool has_others_ = false;              // the file has parts of another one
  std::size_t next_ = 0;                 // file
  std::vector<SimulatedInput> inputs_;
  std::size_t more_faults_ = 0;                   // of the last of them
  std::map<Start, std::optional<Instant>> told_;  // when the last pass of each was
  Start start_;                                   // of what is read
  std::optional<Instant> until_;                  // so much of it was told before
};

// One setting and the values that it is to be tried with: 'evictionHard.memory.available=
// 50Mi..1Gi/16', or 'evictionSoftGracePeriod.memory.available=30s,1m,5m'.
struct Sweep {
  std::string key;  // as it was written
  std::vector<std::string> values;
};

// Every key that a sweep may have: "evictionHard.memory.available", ...
[[nodiscard]] std::vector<std::string> SweepKeys();

// The most policies that sweeps may come to together.
inline constexpr std::size_t kMostPolicies = 4096;

// Parses KEY=FROM..TO/COUNT (COUNT values evenly spaced, both ends included) or KEY=VALUE,VALUE.
// Amounts, percentages and durations; fails with a sentence that says what is allowed.
[[nodiscard]] Result<Sweep> ParseSweep(std::string_view text);

// The policy with the setting of that value: evictionHard.SIGNAL, evictionSoft.SIGNAL,
// evictionSoftGracePeriod.SIGNAL, evictionMinimumReclaim.SIGNAL, evictionPressureTransitionPeriod
// and evictionMaxPodGracePeriod.
[[nodiscard]] Result<PassPolicy> WithSetting(PassPolicy policy, const std::string& key,
                                             const std::string& value);

// The policies that a command line asks for.
struct CandidateOptions {
  std::vector<std::string> policy_files;  // one policy each
  std::vector<std::string> sweeps;        // a grid, of each policy
  std::string evicted = "auto";           // or "back", "elsewhere"
  // What the policies of a node are compared with: "what-happened", "in-force" (the policy in force
  // as it is simulated), or a policy in a file; empty: with nothing.
  std::string against;
};

// Adds --policy, --sweep and --evicted, which have one meaning everywhere.
void AddCandidateOptions(CLI::App& command, CandidateOptions& options);

// A policy as it was read and checked, without a recording whose policy it is about.
struct TriedPolicy {
  std::string path;                                           // of its file
  std::optional<EvictionPolicy> eviction;                     // absent: as what was in force
  std::vector<std::pair<std::string, std::string>> settings;  // that were swept: key to value
};
struct CandidateForms {
  std::vector<TriedPolicy> tried;  // beside what was in force
  bool has_other = false;          // the last of them is tried only to be compared with
  WhatIfModel model;               // back-off and interval as the first file has them
};

// Reads and checks all of it; what the author of a file may have meant differently is told on
// standard error.
[[nodiscard]] CandidateForms ReadCandidates(const CandidateOptions& options, CommandFaults& faults);

// The policies for a recording: `base` is the policy that it begins with, against which sweeps are
// checked. Without a file sweeps are of that one; it always comes first. Fails where a setting has
// no place in it.
[[nodiscard]] Result<std::vector<CandidatePolicy>> CandidatesFor(const CandidateForms& forms,
                                                                 const PassPolicy& base);

// What the policies are: their names, and their settings as JSON.
[[nodiscard]] std::vector<NamedSetting> PoliciesOf(const CandidateForms& forms);

// Adds the differences of each other policy that was tried, or else of the one in force. `against`
// is not empty.
void Compare(const std::string& against, const CandidateForms& forms, SimulationReport& report);

// How nodes are simulated.
struct RecordingRun {
  CandidateForms candidates;
  // Of the calibration; zero: as recorded.
  Duration every{0};
  bool thin_all = false;  // the simulation has no more than the calibration
  // Policies beside those candidates, made of the first pass.
  std::function<std::vector<CandidatePolicy>(const RecordedPass& first)> more;
  bool courses = false;  // of the signals of each node, too
  std::size_t jobs = 0;  // threads, of which each simulates a node; 0: one a processor
};

// Simulates every policy on a node and calibrates, in one reading of its recordings. What is wrong
// with them, and why the node could not be simulated, is in the result.
[[nodiscard]] SimulationReport RunOver(const RecordingRun& run, const FleetNodeFiles& node);

struct SimulatedNodes {
  std::vector<SimulationReport> reports;  // in the order of the nodes
  // What a command ends with: 1 where a recording could not be read and another try may succeed,
  // else 2 where one is damaged or a policy does not fit.
  int status = 0;
};
// Simulates nodes on threads, and tells their faults on standard error.
[[nodiscard]] SimulatedNodes SimulateNodes(const RecordingRun& run,
                                           const std::vector<FleetNodeFiles>& nodes);

// Writes the report as one HTML file. Fails where the file cannot be written.
[[nodiscard]] Result<void> WriteReportPage(const std::string& path,
                                           const std::vector<SimulationReport>& reports,
                                           const Recommendation* recommendation = nullptr);

// Whether `out` and the page `html` (empty: none) can be written: neither may overwrite what is
// read, and this build must have the page.
void CheckOutputs(const std::string& out, const std::string& html,
                  const std::vector<std::string>& inputs, CommandFaults& faults);

// Adds --html to a command.
void AddReportOption(CLI::App& command, std::string& html);

// Reads and checks the first line of a shard's result. kUnavailable: it is of another version.
[[nodiscard]] Result<SimulationHead> ReadShardHead(std::string_view line);
// The same of a line behind it that is a node.
[[nodiscard]] Result<SimulationReport> ReadShardNode(std::string_view line,
                                                     const SimulationHead& head);

// The results of all shards of a fleet as one.
struct ShardSum {
  SimulationHead head;
  std::vector<SimulationReport> nodes;  // in the order of their names
};
// Faults are what cannot be read, is damaged or does not belong together, and shards that come
// twice or are missing.
[[nodiscard]] ShardSum SumOfShards(const std::vector<std::string>& files, CommandFaults& faults);

}  // namespace jettison
