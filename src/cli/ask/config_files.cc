#include "cli/ask/config_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "cli/ask/read_documents.h"
#include "cli/terminal/output.h"
#include "core/model/fault.h"

namespace jettison {
namespace {

// Each question goes through the API server of the cluster.
constexpr int kLooksPerQuestion = 10;
// How long a file of ours that looks half written is read again before it counts as faulty.
constexpr Duration kFilePatience = std::chrono::seconds(1);
constexpr Duration kFileAgainAfter = std::chrono::milliseconds(50);

void PutFirst(const Faults& faults, Faults& into) {
  into.insert(into.begin(), faults.begin(), faults.end());
}

void PutFirst(const DocumentsReading& read, ConfigReading& reading) {
  PutFirst(read.faults, reading.faults);
  PutFirst(read.warnings, reading.warnings);
  PutFirst(read.missing, reading.warnings);
  reading.unread |= read.unread;
}

// A tool that truncates a file and then writes it has it whole again within this time.
DocumentsReading ReadPatiently(const ConfigSources& sources, const FileWait& wait) {
  DocumentsReading read = ReadDocuments(sources, Empty::kFaultUnlessDropIn);
  if (!wait) return read;
  for (Duration waited{0}; read.half_written && waited < kFilePatience; waited += kFileAgainAfter) {
    wait(kFileAgainAfter);
    read = ReadDocuments(sources, Empty::kFaultUnlessDropIn);
  }
  return read;
}

// Whether these faults of a reading may pass without a change of ours. Where the kubelet's document
// is not known, those of ours may only follow from that.
bool ComeFromKubelet(const Faults& faults, const std::vector<ConfigDocument>& ours,
                     const KubeletAnswer& answer) {
  if (faults.empty()) return false;
  if (!answer.side.document || ReadConfig(ours).faults.empty()) return true;
  return std::ranges::any_of(
      faults, [&](const Fault& fault) { return fault.file == answer.side.document->file; });
}

// What the kubelet's answer makes of ours.
ConfigReading Beside(const std::vector<ConfigDocument>& ours, const KubeletAnswer& answer) {
  ConfigReading reading = ReadConfig(ours, answer.side);
  PutFirst(answer.faults, reading.faults);
  PutFirst(answer.warnings, reading.warnings);
  if (!answer.instead.empty()) {
    PutFirst({{.file = "", .key = "kubernetes", .value = "", .message = answer.instead}},
             reading.warnings);
  }
  reading.unread = answer.unread && !reading.faults.empty();
  reading.kubelet_at_fault = ComeFromKubelet(reading.faults, ours, answer);
  return reading;
}

bool IsBesideKubelet(const ConfigReading& reading) {
  return reading.config.source == SourceKind::kKubernetes;
}

// A running agent goes on with what it has.
void RefuseWithoutKubelet(const KubeletAnswer& answer, ConfigReading& reading) {
  if (answer.side.why_not.empty()) return;
  reading.faults = {
      {.file = "",
       .key = "kubernetes",
       .value = "",
       .message = "the kubelet's configuration cannot be read: " + answer.side.why_not}};
}

std::string HostName() {
  std::string name(256, '\0');
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  name.resize(name.find('\0'));
  return name;
}

// As the kubelet names its node. (kubelet 1.36: nodeutil.GetHostname)
std::string Lowered(std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return name;
}

}  // namespace

ConfigReading ReadConfigFiles(const ConfigSources& sources) {
  const DocumentsReading read = ReadDocuments(sources, Empty::kFaultUnlessDropIn);
  ConfigReading reading = ReadConfig(read.documents);
  PutFirst(read, reading);
  return reading;
}

ConfigReading ReadConfigBesideKubelet(const ConfigSources& sources) {
  return ConfigRereader(sources).ReadFirst();
}

void ConfigRereader::Keep(std::vector<ConfigDocument> ours, KubeletAnswer answer,
                          const ConfigReading& reading) {
  if (!reading.faults.empty()) return;
  ours_ = std::move(ours);
  theirs_ = std::move(answer.text);
  const bool as_configured = answer.side.document && answer.instead.empty();
  ways_ = as_configured ? Ways::kConfigured : Ways::kEither;
  complaint_.clear();
}

ConfigReading ConfigRereader::ReadFirst(const FileWait& wait) {
  DocumentsReading read = ReadPatiently(sources_, wait);
  ConfigReading reading = ReadConfig(read.documents);
  KubeletAnswer answer;
  if (IsBesideKubelet(reading)) {
    answer = AskKubelet(QuestionOf(reading.config), Ways::kEither);
    reading = Beside(read.documents, answer);
  }
  PutFirst(read, reading);
  Keep(std::move(read.documents), std::move(answer), reading);
  return reading;
}

ConfigReading ConfigRereader::ReadAgain(const AlsoRead& also) {
  DocumentsReading read = ReadDocuments(sources_, Empty::kFault);
  // They are said to be none, or a folder is being replaced: nobody can tell.
  const bool had_drop_ins = std::ranges::any_of(ours_, &ConfigDocument::drop_in);
  if (had_drop_ins) PutFirst(std::exchange(read.missing, {}), read.faults);
  ConfigReading reading = ReadConfig(read.documents);
  KubeletAnswer answer;
  if (IsBesideKubelet(reading)) {
    answer = AskKubelet(QuestionOf(reading.config), ways_);
    reading = Beside(read.documents, answer);
    RefuseWithoutKubelet(answer, reading);
  }
  PutFirst(read, reading);
  if (also && reading.faults.empty()) also(reading);
  Keep(std::move(read.documents), std::move(answer), reading);
  return reading;
}

std::optional<ConfigReading> ConfigRereader::LookAtKubelet() {
  ConfigReading reading = ReadConfig(ours_);
  if (!IsBesideKubelet(reading)) return std::nullopt;
  const KubeletQuestion question = QuestionOf(reading.config);
  const bool asks_server = question.file.empty() || ways_ == Ways::kEither;
  if (asks_server && ++looks_ % kLooksPerQuestion != 0) return std::nullopt;
  KubeletAnswer answer = AskKubelet(question, ways_);
  if (answer.side.document && answer.text == theirs_) {
    complaint_.clear();
    return std::nullopt;
  }
  reading = Beside(ours_, answer);
  RefuseWithoutKubelet(answer, reading);
  std::string complaint = DescribeAll(reading.faults);
  if (complaint.empty()) {
    Keep(ours_, std::move(answer), reading);
  } else if (complaint == complaint_) {
    return std::nullopt;
  }
  complaint_ = std::move(complaint);
  return reading;
}

void AddConfigDir(CLI::App& command, std::string& folder) {
  command
      .add_option("--config-dir", folder,
                  "Folder of drop-ins, which are merged over the configuration")
      ->type_name("DIR");
}

std::string NodeNameOf(const AgentConfig& config) {
  if (!config.node_name.empty()) return config.node_name;
  if (config.source != SourceKind::kKubernetes) return HostName();
  const char* const told = std::getenv("NODE_NAME");
  return told != nullptr && *told != '\0' ? std::string(told) : Lowered(HostName());
}

void ConfigWarnings::Tell(const Faults& warnings) {
  for (const Fault& warning : warnings) {
    const auto [text, is_new] = told_.insert(Describe(warning));
    if (is_new) PrintError("jettison: warning: {}\n", *text);
  }
}

}  // namespace jettison
