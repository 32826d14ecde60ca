#include "cli/ask/config_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "cli/ask/kept_answer.h"
#include "cli/ask/read_documents.h"
#include "core/model/fault.h"

namespace jettison {
namespace {

// Each question goes through the API server of the cluster.
constexpr int kLooksPerQuestion = 10;
// The node is not guarded before the first reading, so a server that is away is not waited for
// where an answer was kept: a running agent asks again.
constexpr Duration kPatienceWithKept = std::chrono::seconds(1);
// How long a file of ours that looks half written is read again before it counts as faulty.
constexpr Duration kFilePatience = std::chrono::seconds(1);
constexpr Duration kFileAgainAfter = std::chrono::milliseconds(50);

void PutFirst(const Faults& faults, Faults& into) {
  into.insert(into.begin(), faults.begin(), faults.end());
}

void PutFirst(const DocumentsReading& read, ConfigReading& reading) {
  PutFirst(read.faults, reading.faults);
  PutFirst(read.warnings, reading.warnings);
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

}  // namespace

ConfigReading ReadConfigFiles(const ConfigSources& sources) {
  const DocumentsReading read = ReadDocuments(sources, Empty::kFaultUnlessDropIn);
  ConfigReading reading = ReadConfig(read.documents);
  PutFirst(read, reading);
  return reading;
}

ConfigReading ReadConfigBesideKubelet(const ConfigSources& sources, const Patience& patience) {
  return ConfigRereader(sources, patience).ReadFirst();
}

void ConfigRereader::Keep(std::vector<ConfigDocument> ours, std::string theirs,
                          const ConfigReading& reading) {
  if (!reading.faults.empty()) return;
  ours_ = std::move(ours);
  theirs_ = std::move(theirs);
  complaint_.clear();
}

Patience ConfigRereader::FirstPatience(const KubeletQuestion& question,
                                       const std::string& root) const {
  Patience patience = patience_;
  if (question.file.empty() && ReadKeptAnswer(root, question.node)) {
    patience.in_all = std::min(patience.in_all, kPatienceWithKept);
  }
  return patience;
}

ConfigReading ConfigRereader::ReadFirst(const FileWait& wait) {
  DocumentsReading read = ReadPatiently(sources_, wait);
  ConfigReading reading = ReadConfig(read.documents);
  KubeletAnswer answer;
  if (IsBesideKubelet(reading)) {
    const KubeletQuestion question = QuestionOf(reading.config);
    answer = AskKubelet(question, FirstPatience(question, reading.config.root));
    const Faults warnings = StandIn(question, reading.config.root, answer);
    reading = Beside(read.documents, answer);
    PutFirst(warnings, reading.warnings);
  }
  PutFirst(read, reading);
  Keep(std::move(read.documents), std::move(answer.text), reading);
  return reading;
}

ConfigReading ConfigRereader::ReadAgain(const AlsoRead& also) {
  DocumentsReading read = ReadDocuments(sources_, Empty::kFault);
  // They are said to be none, or a folder is being replaced: nobody can tell.
  const bool had_drop_ins = std::ranges::any_of(ours_, &ConfigDocument::drop_in);
  if (had_drop_ins) PutFirst(std::exchange(read.warnings, {}), read.faults);
  ConfigReading reading = ReadConfig(read.documents);
  KubeletAnswer answer;
  if (IsBesideKubelet(reading)) {
    const KubeletQuestion question = QuestionOf(reading.config);
    answer = AskKubelet(question, quiet_);
    KeepOnDisk(question, answer.text);
    reading = Beside(read.documents, answer);
    RefuseWithoutKubelet(answer, reading);
  }
  PutFirst(read, reading);
  if (also && reading.faults.empty()) also(reading);
  if (reading.faults.empty()) is_kept_ = false;
  Keep(std::move(read.documents), std::move(answer.text), reading);
  return reading;
}

Faults ConfigRereader::StandIn(const KubeletQuestion& question, const std::string& root,
                               KubeletAnswer& answer) {
  is_kept_ = false;
  if (answer.side.document || !answer.unread || !question.file.empty()) return {};
  auto kept = ReadKeptAnswer(root, question.node);
  if (!kept) return {};
  const std::string why = std::exchange(answer, std::move(kept->answer)).side.why_not;
  is_kept_ = true;
  return {{.file = "",
           .key = "kubernetes",
           .value = "",
           .message = fmt::format(
               "the kubelet's configuration cannot be read: {}; until it can, the "
               "agent uses the one that the kubelet had {} ago",
               why, FormatDuration(std::chrono::floor<std::chrono::seconds>(kept->age)))}};
}

void ConfigRereader::KeepIn(std::string root, std::function<void(const Error&)> complain) {
  root_ = std::move(root);
  complain_ = std::move(complain);
  const ConfigReading reading = ReadConfig(ours_);
  if (IsBesideKubelet(reading) && !is_kept_) KeepOnDisk(QuestionOf(reading.config), theirs_);
}

// A file of the kubelet is kept by the kubelet.
void ConfigRereader::KeepOnDisk(const KubeletQuestion& question, const std::string& text) {
  if (text.empty() || !question.file.empty() || root_.empty()) return;
  const auto kept = KeepAnswer(root_, question.node, text);
  if (kept || !complain_) return;
  std::exchange(complain_, nullptr)(kept.error());
}

std::optional<ConfigReading> ConfigRereader::LookAtKubelet() {
  ConfigReading reading = ReadConfig(ours_);
  if (!IsBesideKubelet(reading)) return std::nullopt;
  const KubeletQuestion question = QuestionOf(reading.config);
  if (question.file.empty() && !is_kept_ && ++looks_ % kLooksPerQuestion != 0) return std::nullopt;
  KubeletAnswer answer = AskKubelet(question, quiet_);
  KeepOnDisk(question, answer.text);
  if (answer.side.document && answer.text == theirs_) {
    is_kept_ = false;
    complaint_.clear();
    return std::nullopt;
  }
  reading = Beside(ours_, answer);
  RefuseWithoutKubelet(answer, reading);
  std::string complaint = DescribeAll(reading.faults);
  if (complaint.empty()) {
    is_kept_ = false;
    theirs_ = std::move(answer.text);
  } else if (complaint == complaint_) {
    return std::nullopt;
  }
  complaint_ = std::move(complaint);
  return reading;
}

}  // namespace jettison
