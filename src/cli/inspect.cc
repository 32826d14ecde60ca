#include "cli/inspect.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/inspect_report.h"
#include "cli/terminal/exit_status.h"
#include "cli/terminal/output.h"
#include "kernel/files/files.h"

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

std::uint64_t MemoryOfThisMachine() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGESIZE);
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_size);
}

// Why the text is no amount of memory; empty when it is one.
std::string CapacityFault(const std::string& text) {
  const auto amount = Quantity::Parse(text);
  if (!amount) return amount.error().message;
  return amount->Sign() > 0 ? "" : "must be more than zero";
}

// The pods of a large cluster take less.
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

Result<std::string> TextOfPods(const std::string& path) {
  return path == "-" ? kernel::ReadToEnd(STDIN_FILENO, kMostBytes)
                     : kernel::ReadInput(path, kMostBytes);
}

InspectedNode NodeOf(const InspectOptions& options) {
  InspectedNode node{
      .memory_capacity_bytes = MemoryOfThisMachine(),
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
  const auto text = TextOfPods(options.path);
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
  command->add_option("--output", options->output, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->footer(kInspectFooter);
  command->callback([options, &exit_code] { exit_code = RunInspect(*options); });
}

}  // namespace jettison
