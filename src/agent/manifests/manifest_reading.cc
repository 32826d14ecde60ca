#include "agent/manifests/manifest_reading.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "codec/documents/documents.h"
#include "codec/kubernetes/pod_reader.h"
#include "codec/kubernetes/pod_writer.h"

namespace jettison {
namespace {

// 32 hexadecimal digits that depend on the bytes of `text` alone: the same on every machine and in
// every version (FNV-1a, 128 bits). Tells texts apart; does not withstand someone who wants two to
// be equal.
std::string StableHash(std::string_view text) {
  __extension__ using Wide = unsigned __int128;
  constexpr Wide kPrime = (Wide{1} << 88) + 0x13b;
  Wide hash = (Wide{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(hash >> 64),
                     static_cast<std::uint64_t>(hash));
}

// The most memory that the values of a manifest may take while it is read.
constexpr std::size_t kMostMemory = std::size_t{16} << 20;

constexpr const char* kConfigSource = "kubernetes.io/config.source";
constexpr const char* kConfigHash = "kubernetes.io/config.hash";
constexpr const char* kConfigFile = "jettison.io/config.file";

Pod AsStaticPod(Pod pod, const std::string& file) {
  const std::string hash = StableHash(file + '\n' + WritePod(pod));
  if (pod.uid.empty()) pod.uid = hash;
  pod.annotations[kConfigSource] = "file";
  pod.annotations[kConfigHash] = hash;
  pod.annotations[kConfigFile] = file;
  return pod;
}

}  // namespace

ManifestReading ReadManifest(const std::string& file, const std::string& text) {
  ManifestReading reading;
  const auto documents = ParseDocuments(text, kMostMemory);
  if (!documents) {
    AddFault(reading.faults,
             {.file = file, .key = {}, .value = {}, .message = documents.error().message});
    return reading;
  }
  for (const Value& document : *documents) {
    ForEachPod(document, {.file = file, .form = PodForm::kManifest}, [&](PodReading pod) {
      if (pod.Ok()) reading.pods.push_back(AsStaticPod(std::move(pod.pod), file));
      for (Fault& fault : pod.faults) AddFault(reading.faults, std::move(fault));
      for (const std::string& warning : pod.warnings) AddLine(reading.warnings, warning);
    });
  }
  return reading;
}

std::string SourceFileOf(const Pod& pod) {
  const auto file = pod.annotations.find(kConfigFile);
  return file == pod.annotations.end() ? std::string() : file->second;
}

bool SayTheSame(const Pod& a, const Pod& b) {
  if (a == b) return true;
  if (a.uid != b.uid) return false;
  const auto without_file = [](Pod pod) {
    pod.annotations.erase(kConfigFile);
    pod.annotations.erase(kConfigHash);
    return pod;
  };
  return without_file(a) == without_file(b);
}

ManifestNews ReadChange(ManifestChange change) {
  ManifestNews news{.file = std::move(change.file), .now = ManifestGone{}};
  if (const auto* text = std::get_if<ManifestText>(&change.now)) {
    news.now = ReadManifest(news.file, text->text);
  } else if (auto* unreadable = std::get_if<ManifestUnreadable>(&change.now)) {
    news.now = std::move(*unreadable);
  } else if (std::holds_alternative<ManifestUnsettled>(change.now)) {
    news.now = ManifestUnsettled{};
  } else {
    news.now = std::get<ManifestGone>(change.now);
  }
  return news;
}

}  // namespace jettison
