#include "cli/inspect.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text_line.h"
#include "codec/documents/documents.h"
#include "codec/documents/json.h"
#include "core/json/json_writer.h"
#include "core/pods/admission.h"
#include "core/pods/oom_score_adj.h"
#include "core/pods/pod_kind.h"
#include "core/pods/pod_requests.h"
#include "kernel/files/files.h"
#include "runtimes/process/runs/shim_order.h"

namespace jettison {
namespace {

using Documents = std::vector<Value>;

std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// Reads each line as a document of its own and notes the faulty ones.
Documents ParseLines(std::string_view text, const std::string& name, Faults& faults) {
  Documents documents;
  JsonReader reader;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = TakeLine(text);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto document = reader.Parse(line, number);
    if (document) {
      documents.push_back(*std::move(document));
    } else {
      faults.push_back({.file = name, .key = "", .value = "", .message = document.error().message});
    }
  }
  return documents;
}

// One faulty record must not hide the others. Where no line can be read by itself the text was no
// NDJSON, and the first reading says best what is wrong with it.
Documents Parse(std::string_view text, const std::string& name, Faults& faults) {
  Result<Documents> whole = ParseDocuments(text);
  if (whole) return *std::move(whole);
  Faults of_lines;
  Documents documents = ParseLines(text, name, of_lines);
  if (documents.empty()) {
    of_lines = {{.file = name, .key = "", .value = "", .message = whole.error().message}};
  }
  faults.insert(faults.end(), of_lines.begin(), of_lines.end());
  return documents;
}

// What an API server would not have taken, so that something else than a Pod is not shown as one.
class PodCheck {
 public:
  PodCheck(const Pod& pod, std::string file) : pod_(pod), file_(std::move(file)) {}

  Faults Run() {
    if (pod_.name.empty()) Add("metadata.name", "", "must be set: without a name this is no Pod");
    CheckContainers("spec.initContainers", pod_.init_containers);
    CheckContainers("spec.containers", pod_.containers);
    if (pod_.resources) Check("spec.resources", *pod_.resources);
    Check("spec.overhead", pod_.overhead);
    return std::move(faults_);
  }

 private:
  void Add(std::string key, std::string value, std::string message) {
    faults_.push_back({.file = file_,
                       .key = std::move(key),
                       .value = std::move(value),
                       .message = std::move(message)});
  }
  void CheckContainers(std::string_view list, const std::vector<Container>& containers) {
    for (std::size_t i = 0; i < containers.size(); ++i) {
      Check(fmt::format("{}[{}].resources", list, i), containers[i].resources);
    }
  }
  void Check(const std::string& key, const ResourceRequirements& resources) {
    Check(key + ".requests", resources.requests);
    Check(key + ".limits", resources.limits);
  }
  void Check(const std::string& key, const ResourceList& amounts) {
    for (const auto& [resource, amount] : amounts) {
      if (amount.Sign() >= 0) continue;
      Add(fmt::format("{}[{}]", key, resource), amount.ToString(),
          fmt::format("must not be negative (pod {}/{})", pod_.namespace_, pod_.name));
    }
  }

  const Pod& pod_;
  const std::string file_;
  Faults faults_;
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

void WritePodReport(const PodReport& pod, JsonWriter& json) {
  json.Object([&] {
    json.Field("namespace", pod.namespace_);
    json.Field("name", pod.name);
    json.Field("uid", pod.uid);
    json.Field("qosClass", NameOf(pod.qos_class));
    json.Field("priority", pod.priority);
    json.Field("critical", pod.critical);
    json.Field("static", pod.is_static);
    json.Field("mirror", pod.mirror);
    json.Field("memoryRequest", pod.memory_request.ToString());
    json.Field("ephemeralStorageRequest", pod.ephemeral_storage_request.ToString());
    json.Object("oomScoreAdj", [&] {
      for (const auto& [container, score] : pod.oom_score_adj) json.Field(container, score);
    });
    json.Field("toleratesMemoryPressure", pod.tolerates_memory_pressure);
  });
}

std::string Protection(const PodReport& pod) {
  std::string text = pod.critical ? "critical" : "-";
  if (pod.is_static) text += ", static";
  if (pod.mirror) text += ", mirror";
  return text.starts_with("-, ") ? text.substr(3) : text;
}

std::vector<TextLine> RowOf(const PodReport& pod) {
  std::string scores;
  for (const auto& [container, score] : pod.oom_score_adj) {
    scores += fmt::format("{}{}={}", scores.empty() ? "" : " ", container, score);
  }
  std::string qos(NameOf(pod.qos_class));
  if (pod.tolerates_memory_pressure) qos += " (tolerates memory pressure)";
  return {TextLine(pod.namespace_ + "/" + pod.name),
          TextLine(qos),
          TextLine(fmt::format("{}", pod.priority)),
          TextLine(Protection(pod)),
          TextLine(pod.memory_request.ToString()),
          TextLine(pod.ephemeral_storage_request.ToString()),
          TextLine(scores)};
}

}  // namespace

PodReport ReportOf(const Pod& pod, const InspectedNode& node) {
  PodReport report{.namespace_ = pod.namespace_,
                   .name = pod.name,
                   .uid = pod.uid,
                   .qos_class = QosClassOf(pod),
                   .priority = pod.priority.value_or(0),
                   .critical = IsCritical(pod, node.profile),
                   .is_static = IsStatic(pod),
                   .mirror = IsMirror(pod),
                   .memory_request = EffectiveRequest(pod, kMemoryResource),
                   .ephemeral_storage_request = EffectiveRequest(pod, kEphemeralStorageResource),
                   .oom_score_adj = {},
                   .tolerates_memory_pressure = ToleratesMemoryPressure(pod)};
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const Container& container : *containers) {
      report.oom_score_adj.emplace_back(container.name,
                                        OomScoreAdj(pod, container, node.memory_capacity_bytes));
    }
  }
  return report;
}

InspectReport InspectPods(std::string_view text, const std::string& name, const InspectedNode& node,
                          PodForm form) {
  InspectReport report;
  const PodSource source{.file = name, .form = form};
  const bool is_object = form == PodForm::kApiObject;
  const std::vector<Value> documents = Parse(text, name, report.faults);
  report.is_empty = documents.empty() && report.faults.empty();
  for (const Value& document : documents) {
    ForEachPod(document, source, [&](PodReading reading) {
      if (reading.Ok() && is_object) {
        reading.faults = PodCheck(reading.pod, name).Run();
      } else if (reading.Ok() && node.runtime == RuntimeKind::kProcess) {
        NoteRefusals(reading.pod, name, reading.faults);
      }
      for (const std::string& warning : reading.warnings) {
        report.warnings.push_back(fmt::format("{}: {}", name, warning));
      }
      if (reading.Ok()) {
        report.pods.push_back(ReportOf(reading.pod, node));
      } else {
        std::move(reading.faults.begin(), reading.faults.end(), std::back_inserter(report.faults));
      }
    });
  }
  return report;
}

std::string AsJson(const std::vector<PodReport>& pods) {
  std::string text = "[";
  for (const PodReport& pod : pods) {
    text += &pod == pods.data() ? "\n" : ",\n";
    JsonWriter json(text);
    WritePodReport(pod, json);
  }
  return text + (pods.empty() ? "]\n" : "\n]\n");
}

std::string AsTable(const std::vector<PodReport>& pods) {
  constexpr std::size_t kAnyWidth = std::size_t{1} << 30;
  constexpr TextStyle kPlain = {.color = false, .unicode = true};
  std::vector<std::vector<TextLine>> rows;
  for (const PodReport& pod : pods) rows.push_back(RowOf(pod));
  std::string text;
  for (const TextLine& line : TableLines({{.header = "POD"},
                                          {.header = "QOS CLASS"},
                                          {.header = "PRIORITY"},
                                          {.header = "PROTECTION"},
                                          {.header = "MEMORY REQUEST"},
                                          {.header = "STORAGE REQUEST"},
                                          {.header = "OOM SCORE ADJ"}},
                                         std::move(rows), kAnyWidth, kPlain)) {
    text += line.Render(line.width(), kPlain) + "\n";
  }
  return text;
}

namespace {

struct InspectOptions {
  std::string path;
  std::string memory_capacity;  // empty: this machine's
  std::string profile = "kubelet";
  std::string runtime = "process";
  std::string output = "text";
  bool manifest = false;
};

// Why the text is no amount of memory; empty when it is one.
std::string CapacityFault(const std::string& text) {
  const auto amount = Quantity::Parse(text);
  if (!amount) return amount.error().message;
  return amount->Sign() > 0 ? "" : "must be more than zero";
}

// The pods of a large cluster take less.
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

InspectedNode NodeOf(const InspectOptions& options) {
  InspectedNode node{
      .memory_capacity_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                               static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)),
      .profile = ProfileNamed(options.profile).value_or(Profile::kKubelet),
      .runtime = options.runtime == "cri" ? RuntimeKind::kCri : RuntimeKind::kProcess};
  if (!options.memory_capacity.empty()) {
    node.memory_capacity_bytes =
        static_cast<std::uint64_t>(Quantity::Parse(options.memory_capacity)->Value());
  }
  return node;
}

int RunInspect(const InspectOptions& options) {
  const std::string name = options.path == "-" ? "standard input" : options.path;
  const auto text = options.path == "-" ? kernel::ReadToEnd(STDIN_FILENO, kMostBytes)
                                        : kernel::ReadInput(options.path, kMostBytes);
  if (!text) {
    PrintError("jettison: cannot read {}: {}\n", name, text.error().message);
    return kExitFailed;
  }
  const PodForm form = options.manifest ? PodForm::kManifest : PodForm::kApiObject;
  const InspectReport report = InspectPods(*text, name, NodeOf(options), form);
  if (report.is_empty) {
    PrintError("jettison: {} is empty: it has no pod\n", name);
    return kExitFailed;
  }
  const int printed =
      options.output == "json" ? PrintData(AsJson(report.pods)) : PrintText(AsTable(report.pods));
  if (printed != 0) return printed;
  for (const Fault& fault : report.faults) PrintError("jettison: {}\n", Describe(fault));
  for (const std::string& warning : report.warnings) PrintError("warning: {}\n", warning);
  return report.faults.empty() ? 0 : kExitInvalidInput;
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
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand(
      "inspect", "Show QoS class, protection, requests and oom_score_adj of pods");
  command->add_option("PODS", options->path, "a file of pods; - reads standard input")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--memory-capacity", options->memory_capacity,
                   "the node's memory, a quantity such as 16Gi (default: that of this machine)")
      ->check(CLI::Validator(CapacityFault, "QUANTITY"));
  command
      ->add_option(
          "--profile", options->profile,
          "which pods are protected: kubelet (static pods too) or standalone (by priority only)")
      ->check(CLI::IsMember({"kubelet", "standalone"}))
      ->capture_default_str();
  command->add_flag("--manifest", options->manifest,
                    "check PODS as manifests that the agent is to run");
  command
      ->add_option("--runtime", options->runtime,
                   "what is to run the manifests; what it would refuse is a fault")
      ->check(CLI::IsMember({"process", "cri"}))
      ->capture_default_str();
  AddOutput(*command, options->output);
  command->footer(kInspectFooter);
  command->callback([options, &exit_code] { exit_code = RunInspect(*options); });
}

}  // namespace jettison
