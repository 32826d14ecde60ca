#include "cli/fleet/merge.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/fleet/part_files.h"
#include "cli/terminal/exit_status.h"
#include "cli/terminal/number_option.h"
#include "cli/terminal/output.h"
#include "cli/terminal/output_path.h"
#include "kernel/files/whole_file.h"
#include "sim/fleet/fleet_report.h"

namespace jettison {
namespace {

struct MergeOptions {
  std::vector<std::string> parts;
  std::string output = "text";
  std::string rows = "nodes";
  bool names_rows = false;  // on the command line
  std::string out;
  std::size_t show = 20;
  bool partial = false;
};

// Where a document goes: a file that is there once it is complete, or standard output.
class Destination {
 public:
  explicit Destination(const std::string& path) {
    if (!path.empty() && path != "-") file_.emplace(path);
  }
  [[nodiscard]] bool Put(std::string_view bytes) {
    if (file_) return file_->Add(bytes);
    return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size();
  }
  [[nodiscard]] Result<void> Finish() {
    if (file_) return file_->PutInPlace();
    if (std::fflush(stdout) == 0) return {};
    return Fail(ErrorCode::kInternal, fmt::format("cannot write: {}", std::strerror(errno)));
  }
  // Why a piece was lost; empty: none was.
  [[nodiscard]] std::string Fault() const {
    if (file_) return file_->fault() ? file_->fault()->message : "";
    return std::ferror(stdout) != 0 ? fmt::format("cannot write: {}", std::strerror(errno)) : "";
  }

 private:
  std::optional<WholeFile> file_;
};

// What is found of a fleet in one reading of its parts. Damage is told in the order of names, so it
// is looked for once that is known.
class Merged {
 public:
  explicit Merged(std::size_t show) : top(show) {}

  Result<void> Read(const MergeOptions& options) {
    auto read = PartFiles::Read(options.parts, options.partial, [this](const FleetNode& node) {
      // How many policies there are is known once a node has them; one that failed has none.
      if (report.totals.policies.size() < node.policies.size()) {
        report.totals.policies.resize(node.policies.size());
      }
      report.totals.Add(node);
      top.Add(node);
      is_damaged |= node.IsDamaged();
      has_notes |= !node.notes.empty();
    });
    if (!read) return Fail(read.error());
    parts = std::move(*read);
    report.manifest = parts.manifest();
    report.missing_shards = parts.missing_shards();
    report.totals.policies.resize(report.manifest.policies.size());
    return {};
  }

  PartFiles parts;
  FleetReport report{.manifest = {}, .totals = FleetTotals(0), .missing_shards = {}};
  TopNodes top;
  bool is_damaged = false;
  bool has_notes = false;
};

bool WriteText(Merged& merged, const VisitNodes& nodes, const PutPiece& put) {
  NoteList notes;
  DamageList damage;
  const bool is_silent = !merged.is_damaged && !merged.has_notes;
  const bool visited = is_silent || nodes([&](const FleetNode& node) {
                         notes.Add(node.notes);
                         damage.Add(node);
                         return true;
                       });
  return visited && put(PrintableLines(FleetText(merged.report, merged.top, notes, damage)));
}

bool WriteTable(const MergeOptions& options, Merged& merged, const VisitNodes& nodes,
                const PutPiece& put) {
  if (options.rows == "policies") return put(FleetPoliciesCsv(merged.report));
  if (options.rows == "nodes") return WriteFleetNodesCsv(merged.report, nodes, put);
  return WriteFleetEvictionsCsv(merged.report, nodes, put);
}

int WriteMerged(const MergeOptions& options, Merged& merged) {
  Destination destination(options.out);
  const PutPiece put = [&](std::string_view bytes) { return destination.Put(bytes); };
  const VisitNodes nodes = [&](const std::function<bool(const FleetNode&)>& visit) {
    return merged.parts.Visit(visit);
  };
  bool written = false;
  if (options.output == "text") {
    written = WriteText(merged, nodes, put);
  } else if (options.output == "json") {
    written = WriteFleetJson(merged.report, nodes, put);
  } else {
    written = WriteTable(options, merged, nodes, put);
  }
  std::string fault = destination.Fault();
  if (fault.empty() && !written) fault = "a part changed while it was read";
  if (fault.empty()) {
    if (const auto finished = destination.Finish(); !finished) fault = finished.error().message;
  }
  if (fault.empty()) return 0;
  PrintError("jettison: {}\n", fault);
  return kExitFailed;
}

int RunMerge(const MergeOptions& options) {
  if (options.names_rows && options.output != "csv") {
    PrintError("jettison: --rows chooses the table of --output csv; --output is {}\n",
               options.output);
    return kExitInvalidInput;
  }
  const std::string lost =
      WhyInputWouldBeLost({{"--out", options.out}}, FilesOfParts(options.parts));
  if (!lost.empty()) {
    PrintError("jettison: {}\n", lost);
    return kExitInvalidInput;
  }
  Merged merged(options.show);
  if (const auto read = merged.Read(options); !read) {
    PrintError("jettison: {}\n", read.error().message);
    return kExitFailed;
  }
  if (const int failed = WriteMerged(options, merged); failed != 0) return failed;
  if (!merged.is_damaged) return 0;
  PrintError("jettison: {} of {} recordings are damaged; the result names them\n",
             merged.report.totals.recordings_damaged, merged.report.totals.recordings);
  return kExitInvalidInput;
}

constexpr const char* kFooter =
    "PART is a file that `jettison simulate --shard` has written, or a folder of such files "
    "(whose\n"
    "names end in .part). Every part of a fleet must be given once. With --partial, missing parts\n"
    "are left out, and the result names them. Sums are integers and rows are in a fixed order, so\n"
    "the result is the same byte for byte, however many shards there were.\n"
    "\n"
    "text and json describe the fleet as a whole and its nodes. csv is one table, which --rows\n"
    "chooses.\n"
    "\n"
    "Examples:\n"
    "  jettison merge parts/\n"
    "  jettison merge parts/*.part --output json --out fleet.json\n"
    "  jettison merge parts/ --output csv --rows evictions --out evictions.csv\n"
    "\n"
    "Exit status: 0 done, 1 a part cannot be read, is missing or belongs to another fleet, 2 a\n"
    "recording of the fleet was damaged or could not be read (the result names it), or wrong\n"
    "usage.";

}  // namespace

void AddMerge(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<MergeOptions>();
  CLI::App* command = app.add_subcommand("merge", "Add up the parts of a simulation of many nodes");
  command->add_option("PART", options->parts, "parts, or folders of parts")
      ->type_name("PATH")
      ->required();
  command->add_option("--output", options->output, "text, json or csv")
      ->check(CLI::IsMember({"text", "json", "csv"}))
      ->capture_default_str();
  command->add_option("--rows", options->rows, "the table of csv: policies, nodes or evictions")
      ->check(CLI::IsMember({"policies", "nodes", "evictions"}))
      ->capture_default_str();
  command
      ->add_option("--out", options->out,
                   "write the result to this file, whole or not at all; - is standard output")
      ->type_name("FILE");
  command->add_option("--show", options->show, "how many nodes to show in text")
      ->check(WholeNumber(0, kMostCounted))
      ->capture_default_str();
  command->add_flag("--partial", options->partial, "continue when shards are missing");
  command->footer(kFooter);
  command->callback([command, options, &exit_code] {
    options->names_rows = command->count("--rows") > 0;
    exit_code = RunMerge(*options);
  });
}

}  // namespace jettison
