#include "cli/ask/config_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/terminal/output.h"
#include "codec/documents/documents.h"
#include "core/model/fault.h"
#include "core/text/number.h"
#include "kernel/files/files.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

// No configuration is larger, and no YAML may be.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

template <typename T>
Result<T> OrCannotBeRead(Result<T> read) {
  if (!read) return Fail(read.error().code, "cannot be read: " + read.error().message);
  return read;
}

Fault FaultOf(const std::string& file, std::string message) {
  return {.file = file, .key = "", .value = "", .message = std::move(message)};
}

bool IsDropIn(std::string_view name) {
  constexpr auto kEndings = std::to_array<std::string_view>({".yaml", ".yml", ".json", ".conf"});
  return !name.starts_with('.') &&
         std::ranges::any_of(kEndings, [name](auto ending) { return name.ends_with(ending); });
}

// The drop-ins in a folder, in the order in which they count.
Result<std::vector<std::string>> DropInsOf(const std::string& folder) {
  if (!kernel::Exists(folder)) return Fail(ErrorCode::kNotFound, "");
  auto names = OrCannotBeRead(kernel::NamesIn(folder));
  if (!names) return names;
  std::erase_if(*names, std::not_fn(&IsDropIn));
  for (std::string& name : *names) name = fs::path(folder) / name;
  return names;
}

// Why a file cannot be a drop-in: a pipe would be waited for. What is not there is told of later.
std::string FaultOfKind(const std::string& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (error || fs::is_regular_file(status)) return "";
  return fs::is_directory(status) ? "is a folder, but must be a file" : "must be a regular file";
}

// Adds what a file says.
void AddFile(const std::string& file, const Result<std::string>& text, bool drop_in,
             bool empty_is_fault, DocumentsReading& reading) {
  const auto refuse = [&](std::string why) {
    reading.faults.push_back(FaultOf(file, std::move(why)));
  };
  reading.unread |= !text;
  auto parsed =
      text ? ConfigDocumentsIn(file, *text, reading.warnings, reading.faults) : Fail(text.error());
  if (!parsed) return refuse(parsed.error().message);
  const bool is_empty =
      drop_in ? text->find_first_not_of(" \t\r\n") == std::string::npos : parsed->empty();
  if (is_empty && empty_is_fault) refuse("the file is empty");
  for (Value& document : *parsed) {
    reading.documents.push_back(
        {.file = file, .document = std::move(document), .drop_in = drop_in});
  }
}

// Each question goes through the API server of the cluster.
constexpr int kLooksPerQuestion = 10;

void PutFirst(const Faults& faults, Faults& into) {
  into.insert(into.begin(), faults.begin(), faults.end());
}

void PutFirst(const DocumentsReading& read, ConfigReading& reading) {
  PutFirst(read.faults, reading.faults);
  PutFirst(read.warnings, reading.warnings);
  PutFirst(read.missing, reading.warnings);
  reading.unread |= read.unread;
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

}  // namespace

Result<std::vector<Value>> ConfigDocumentsIn(const std::string& file, std::string_view text,
                                             Faults& warnings, Faults& faults) {
  std::vector<std::string> repeated;
  auto documents = ParseDocuments(text, kUnlimitedMemory, &repeated);
  if (!documents || repeated.empty()) return documents;
  const bool may_repeat = std::ranges::all_of(*documents, [](const Value& document) {
    const Value* const kind = document.Find("kind");
    return kind != nullptr && kind->AsString() != nullptr &&
           *kind->AsString() == "KubeletConfiguration";
  });
  for (const std::string& line : repeated) {
    if (may_repeat) {
      warnings.push_back(FaultOf(file, line + "; the last one counts, as for the kubelet"));
    } else {
      faults.push_back(FaultOf(file, line));
    }
  }
  return documents;
}

Result<std::string> TextOf(const std::string& file) {
  return OrCannotBeRead(kernel::ReadInput(file, kMostBytes));
}

DocumentsReading ReadDocuments(const ConfigSources& sources, bool empty_drop_in_is_fault) {
  DocumentsReading reading;
  for (const std::string& file : sources.files) {
    if (sources.dash_is_standard_input && file == "-") {
      // The descriptor that is open: whoever runs this may not be allowed to open it again, a
      // socket cannot be, and of a file that would begin at its first byte again.
      AddFile("standard input", OrCannotBeRead(kernel::ReadToEnd(STDIN_FILENO, kMostBytes)), false,
              true, reading);
    } else {
      AddFile(file, TextOf(file), false, true, reading);
    }
  }
  if (sources.drop_ins.empty()) return reading;
  const auto drop_ins = DropInsOf(sources.drop_ins);
  if (!drop_ins && drop_ins.error().code == ErrorCode::kNotFound) {
    reading.missing.push_back(
        FaultOf(sources.drop_ins, "this folder does not exist, so no drop-in is read"));
  } else if (!drop_ins) {
    reading.unread = true;
    reading.faults.push_back(FaultOf(sources.drop_ins, drop_ins.error().message));
  }
  for (const std::string& file : drop_ins.value_or(std::vector<std::string>{})) {
    if (std::string why = FaultOfKind(file); !why.empty()) {
      reading.faults.push_back(FaultOf(file, std::move(why)));
    } else {
      AddFile(file, TextOf(file), true, empty_drop_in_is_fault, reading);
    }
  }
  return reading;
}

ConfigReading ReadConfigFiles(const ConfigSources& sources) {
  const DocumentsReading read = ReadDocuments(sources);
  ConfigReading reading = ReadConfig(read.documents);
  PutFirst(read, reading);
  return reading;
}

void Tell(const ConfigReading& reading, CommandFaults& faults) {
  TellWarnings(reading);
  const auto code = reading.unread ? ErrorCode::kUnavailable : ErrorCode::kInvalidArgument;
  for (const Fault& fault : reading.faults) faults.Add({code, Describe(fault)});
}

void ConfigRereader::Keep(std::vector<ConfigDocument> ours, KubeletAnswer answer,
                          const ConfigReading& reading) {
  if (!reading.faults.empty()) return;
  ours_ = std::move(ours);
  theirs_ = std::move(answer.text);
  complaint_.clear();
}

ConfigReading ConfigRereader::Read(DocumentsReading read, bool is_running, const AlsoRead& also) {
  ConfigReading reading = ReadConfig(read.documents);
  KubeletAnswer answer;
  if (IsBesideKubelet(reading)) {
    answer = AskKubelet(QuestionOf(reading.config));
    reading = Beside(read.documents, answer);
    if (is_running) RefuseWithoutKubelet(answer, reading);
  }
  PutFirst(read, reading);
  if (also && reading.faults.empty()) also(reading);
  Keep(std::move(read.documents), std::move(answer), reading);
  return reading;
}

ConfigReading ConfigRereader::ReadFirst() {
  return Read(ReadDocuments(sources_), false, nullptr);
}

ConfigReading ConfigRereader::ReadAgain(const AlsoRead& also) {
  DocumentsReading read = ReadDocuments(sources_, /*empty_drop_in_is_fault=*/true);
  // They are said to be none, or a folder is being replaced: nobody can tell.
  const bool had_drop_ins = std::ranges::any_of(ours_, &ConfigDocument::drop_in);
  if (had_drop_ins) PutFirst(std::exchange(read.missing, {}), read.faults);
  return Read(std::move(read), true, also);
}

std::optional<ConfigReading> ConfigRereader::LookAtKubelet() {
  ConfigReading reading = ReadConfig(ours_);
  if (!IsBesideKubelet(reading)) return std::nullopt;
  const KubeletQuestion question = QuestionOf(reading.config);
  if (question.file.empty() && ++looks_ % kLooksPerQuestion != 0) return std::nullopt;
  KubeletAnswer answer = AskKubelet(question);
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
  if (told != nullptr && *told != '\0') return told;
  std::string name = HostName();
  std::ranges::transform(name, name.begin(), Lower);  // (kubelet 1.36: nodeutil.GetHostname)
  return name;
}

void TellWarnings(const ConfigReading& reading) {
  for (const Fault& warning : reading.warnings) {
    PrintError("jettison: warning: {}\n", Describe(warning));
  }
}

}  // namespace jettison
