#include "cli/ask/config_files.h"

#include "cli/ask/read_documents.h"
#include "core/model/fault.h"

namespace jettison {
namespace {

void PutFirst(const Faults& faults, ConfigReading& reading) {
  reading.faults.insert(reading.faults.begin(), faults.begin(), faults.end());
}

// What the kubelet's answer makes of ours.
ConfigReading Beside(const std::vector<ConfigDocument>& ours, const KubeletAnswer& answer) {
  ConfigReading reading = ReadConfig(ours, answer.side);
  PutFirst(answer.faults, reading);
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

}  // namespace

ConfigReading ReadConfigFiles(const std::vector<std::string>& files) {
  const DocumentsReading read = ReadDocuments(files, Empty::kAllowed);
  ConfigReading reading = ReadConfig(read.documents);
  PutFirst(read.faults, reading);
  return reading;
}

ConfigReading ReadConfigBesideKubelet(const std::vector<std::string>& files,
                                      const Patience& patience) {
  return ConfigRereader(files, patience).ReadFirst();
}

void ConfigRereader::Keep(std::vector<ConfigDocument> ours, std::string theirs,
                          const ConfigReading& reading) {
  if (!reading.faults.empty()) return;
  ours_ = std::move(ours);
  theirs_ = std::move(theirs);
  complaint_.clear();
}

ConfigReading ConfigRereader::ReadFirst() {
  DocumentsReading read = ReadDocuments(files_, Empty::kAllowed);
  ConfigReading reading = ReadConfig(read.documents);
  KubeletAnswer answer;
  if (IsBesideKubelet(reading)) {
    answer = AskKubelet(QuestionOf(reading.config), patience_);
    reading = Beside(read.documents, answer);
  }
  PutFirst(read.faults, reading);
  Keep(std::move(read.documents), std::move(answer.text), reading);
  return reading;
}

ConfigReading ConfigRereader::ReadAgain() {
  DocumentsReading read = ReadDocuments(files_, Empty::kFault);
  ConfigReading reading = ReadConfig(read.documents);
  KubeletAnswer answer;
  if (IsBesideKubelet(reading)) {
    answer = AskKubelet(QuestionOf(reading.config), quiet_);
    reading = Beside(read.documents, answer);
    RefuseWithoutKubelet(answer, reading);
  }
  PutFirst(read.faults, reading);
  Keep(std::move(read.documents), std::move(answer.text), reading);
  return reading;
}

std::optional<ConfigReading> ConfigRereader::LookAtKubelet() {
  ConfigReading reading = ReadConfig(ours_);
  if (!IsBesideKubelet(reading)) return std::nullopt;
  KubeletAnswer answer = AskKubelet(QuestionOf(reading.config), quiet_);
  if (answer.side.document && answer.text == theirs_) {
    complaint_.clear();
    return std::nullopt;
  }
  reading = Beside(ours_, answer);
  RefuseWithoutKubelet(answer, reading);
  std::string complaint = DescribeAll(reading.faults);
  if (complaint.empty()) {
    theirs_ = std::move(answer.text);
  } else if (complaint == complaint_) {
    return std::nullopt;
  }
  complaint_ = std::move(complaint);
  return reading;
}

}  // namespace jettison
