#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "codec/documents/documents.h"
#include "codec/kubernetes/pod_reader.h"
#include "core/explanation/text_table.h"
#include "core/json/json_writer.h"
#include "core/model/choices.h"
#include "core/model/fault.h"
#include "core/model/pod.h"
#include "core/pods/admission.h"
#include "core/pods/pod_kind.h"
#include "core/units/quantity.h"
#include "kernel/files/files.h"
#include "runtimes/process/runs/shim_order.h"

namespace jettison {
namespace {

struct InspectOptions {
  std::string path;
  std::string memory_capacity;  // empty: this machine's
  std::string profile = "kubelet";
  std::string runtime = "process";
  std::string output = "text";
  bool manifest = false;
};

// What the process runtime would not create or start.
void NoteRefusals(const Pod& pod, const std::string& name, Faults& faults) {
  const auto note = [&](const Error& refusal) {
    faults.push_back({.file = name,
                      .key = "",
                      .value = "",
                      .message = fmt::format("pod {}: {}", FullName(pod), refusal.message)});
  };
  if (const auto ok = process::CheckRights(pod); !ok) note(ok.error());
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const Container& container : *containers) {
      if (const auto line = process::CommandLineOf(container); !line) note(line.error());
    }
  }
}

// What is read, and what is wrong with what could not be understood.
struct InspectedPods {
  std::vector<Pod> pods;
  Faults faults;
  std::vector<std::string> warnings;  // with the name of the input
  bool is_empty = false;              // the input has no document, not even an empty list
};

// Reads the pods of a text: a List or PodList, one Pod, a JSON array, NDJSON, or YAML documents.
// As API objects, pods are taken as an API server answers them: nothing is defaulted, and each has
// a name. As manifests they are read as an agent that runs them would, and what its runtime would
// refuse is a fault.
// A faulty pod spoils no other one.
InspectedPods ReadPods(std::string_view text, const std::string& name,
                       const InspectOptions& options) {
  InspectedPods read;
  const PodSource source{.file = name,
                         .form = options.manifest ? PodForm::kManifest : PodForm::kApiObject};
  const auto documents = ParseDocuments(text);
  if (!documents) {
    read.faults.push_back(
        {.file = name, .key = "", .value = "", .message = documents.error().message});
    return read;
  }
  read.is_empty = documents->empty();
  for (const Value& document : *documents) {
    ForEachPod(document, source, [&](PodReading reading) {
      if (reading.Ok() && reading.pod.name.empty()) {
        reading.faults.push_back({.file = name,
                                  .key = "metadata.name",
                                  .value = "",
                                  .message = "must be set: without a name this is no Pod"});
      } else if (reading.Ok() && options.manifest && options.runtime == "process") {
        NoteRefusals(reading.pod, name, reading.faults);
      }
      for (const std::string& warning : reading.warnings) {
        read.warnings.push_back(fmt::format("{}: {}", name, warning));
      }
      if (reading.Ok()) {
        read.pods.push_back(std::move(reading.pod));
      } else {
        std::ranges::move(reading.faults, std::back_inserter(read.faults));
      }
    });
  }
  return read;
}

// The node that pods are judged for.
struct InspectedNode {
  std::uint64_t memory_capacity_bytes = 0;
  Profile profile = Profile::kKubelet;
};

// By container, init containers first.
std::vector<std::pair<std::string_view, int>> OomScoresOf(const Pod& pod,
                                                          const InspectedNode& node) {
  std::vector<std::pair<std::string_view, int>> scores;
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const Container& container : *containers) {
      scores.emplace_back(container.name, OomScoreAdj(pod, container, node.memory_capacity_bytes));
    }
  }
  return scores;
}

// A list, a pod a line.
std::string AsJson(const std::vector<Pod>& pods, const InspectedNode& node) {
  std::string text = "[";
  for (const Pod& pod : pods) {
    text += &pod == pods.data() ? "\n" : ",\n";
    JsonWriter json(text);
    json.Object([&] {
      json.Field("namespace", pod.namespace_);
      json.Field("name", pod.name);
      json.Field("uid", pod.uid);
      json.Field("qosClass", NameOf(QosClassOf(pod)));
      json.Field("priority", pod.priority.value_or(0));  // one without ranks as 0
      json.Field("critical", IsCritical(pod, node.profile));
      json.Field("static", IsStatic(pod));
      json.Field("mirror", IsMirror(pod));
      json.Field("memoryRequest", EffectiveRequest(pod, kMemoryResource).ToString());
      json.Field("ephemeralStorageRequest",
                 EffectiveRequest(pod, kEphemeralStorageResource).ToString());
      json.Object("oomScoreAdj", [&] {
        for (const auto& [container, score] : OomScoresOf(pod, node)) json.Field(container, score);
      });
      json.Field("toleratesMemoryPressure", ToleratesMemoryPressure(pod));
    });
  }
  return text + (pods.empty() ? "]\n" : "\n]\n");
}

// For people: a heading and a line a pod.
std::string AsTable(const std::vector<Pod>& pods, const InspectedNode& node) {
  TextTable table(std::vector(7, TextTable::Align::kLeft));
  table.Add({"POD", "QOS CLASS", "PRIORITY", "PROTECTION", "MEMORY REQUEST", "STORAGE REQUEST",
             "OOM SCORE ADJ"});
  for (const Pod& pod : pods) {
    std::vector<std::string> scores;
    for (const auto& [container, score] : OomScoresOf(pod, node)) {
      scores.push_back(fmt::format("{}={}", container, score));
    }
    std::vector<std::string_view> protection;
    if (IsCritical(pod, node.profile)) protection.emplace_back("critical");
    if (IsStatic(pod)) protection.emplace_back("static");
    if (IsMirror(pod)) protection.emplace_back("mirror");
    if (protection.empty()) protection.emplace_back("-");
    table.Add({pod.namespace_ + "/" + pod.name,
               fmt::format("{}{}", NameOf(QosClassOf(pod)),
                           ToleratesMemoryPressure(pod) ? " (tolerates memory pressure)" : ""),
               fmt::format("{}", pod.priority.value_or(0)),
               fmt::format("{}", fmt::join(protection, ", ")),
               EffectiveRequest(pod, kMemoryResource).ToString(),
               EffectiveRequest(pod, kEphemeralStorageResource).ToString(),
               fmt::format("{}", fmt::join(scores, " "))});
  }
  return table.Text(0);
}

// Why the text is no amount of memory; empty when it is one.
std::string CapacityFault(const std::string& text) {
  const auto amount = Quantity::Parse(text);
  if (!amount) return amount.error().message;
  return amount->Sign() > 0 ? "" : "must be more than zero";
}

// The pods of a large cluster take less.
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

int RunInspect(const InspectOptions& options) {
  const std::string name = options.path == "-" ? "standard input" : options.path;
  const auto text = options.path == "-" ? kernel::ReadToEnd(STDIN_FILENO, kMostBytes)
                                        : kernel::ReadInput(options.path, kMostBytes);
  if (!text) {
    PrintError("jettison: cannot read {}: {}\n", name, text.error().message);
    return kExitFailed;
  }
  const InspectedPods read = ReadPods(*text, name, options);
  if (read.is_empty) {
    PrintError("jettison: {} is empty: it has no pod\n", name);
    return kExitFailed;
  }
  const long own_memory = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  const InspectedNode node = {
      .memory_capacity_bytes = static_cast<std::uint64_t>(
          options.memory_capacity.empty() ? own_memory
                                          : Quantity::Parse(options.memory_capacity)->Value()),
      .profile = EnumeratorNamed<Profile>(options.profile).value_or(Profile::kKubelet)};
  const int printed = options.output == "json" ? PrintData(AsJson(read.pods, node))
                                               : PrintText(AsTable(read.pods, node));
  if (printed != 0) return printed;
  for (const Fault& fault : read.faults) PrintError("jettison: {}\n", Describe(fault));
  for (const std::string& warning : read.warnings) PrintError("warning: {}\n", warning);
  return read.faults.empty() ? 0 : kExitInvalidInput;
}

constexpr const char* kInspectFooter =
    "PODS is a file with the output of `kubectl get pods -o json`, one Pod, a JSON array of Pods,\n"
    "one Pod on each line, or YAML. Pods are read as they are: defaults that the API server would\n"
    "add are not added. With --manifest they are read as `jettison run` reads a manifest: what it\n"
    "would refuse is a fault, what has no effect or is misspelt a warning, and defaults are "
    "added.\n"
    "\n"
    "Examples:\n"
    "  kubectl get pods -A -o json | jettison inspect - --memory-capacity 16Gi\n"
    "  jettison inspect pods.json --memory-capacity 8Gi --output json\n"
    "  jettison inspect --manifest --runtime cri web.yaml --profile standalone\n"
    "\n"
    "Exit status: 0 done, 1 the file could not be read or is empty, 2 a pod is invalid (the\n"
    "others are shown), or wrong usage.";

}  // namespace

void AddInspect(CLI::App& app, int& exit_code) {
  const auto [command, options] = AddCommand(
      app, exit_code, "inspect", "Show QoS class, protection, requests and oom_score_adj of pods",
      kInspectFooter, RunInspect);
  command.add_option("PODS", options.path, "a file of pods; - reads standard input")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--memory-capacity", options.memory_capacity,
                  "the node's memory, a quantity such as 16Gi (default: that of this machine)")
      ->check(CLI::Validator(CapacityFault, "QUANTITY"));
  command
      .add_option(
          "--profile", options.profile,
          "which pods are protected: kubelet (static pods too) or standalone (by priority only)")
      ->check(CLI::IsMember({"kubelet", "standalone"}))
      ->capture_default_str();
  command.add_flag("--manifest", options.manifest,
                   "check PODS as manifests that the agent is to run");
  command
      .add_option("--runtime", options.runtime,
                  "what is to run the manifests; what it would refuse is a fault")
      ->check(CLI::IsMember({"process", "cri"}))
      ->capture_default_str();
  AddOutput(command, options.output);
}

}  // namespace jettison
