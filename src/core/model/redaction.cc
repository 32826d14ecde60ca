#include "core/model/redaction.h"

#include <algorithm>
#include <vector>

namespace jettison {
namespace {

constexpr std::string_view kBehindScheme = "://";
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

// The characters that end a URL in the middle of a text.
bool EndsUrl(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '\'' || c == '`' || c == '<' ||
         c == '>' || c == '\x7f';
}

void RedactValues(std::vector<std::string>& texts) {
  for (std::string& text : texts) text = WithRedactedUrls(text);
}

void RedactContainer(Container& container) {
  RedactValues(container.command);
  RedactValues(container.args);
  if (container.pre_stop) RedactValues(container.pre_stop->command);
  for (EnvVar& variable : container.env) {
    if (!variable.value.empty()) variable.value = kRedacted;
  }
}

}  // namespace

std::string RedactedUrl(std::string_view url) {
  const std::size_t scheme = url.find(kBehindScheme);
  const std::size_t begin = scheme == std::string_view::npos ? 0 : scheme + kBehindScheme.size();
  std::string redacted(url.substr(0, begin));
  url.remove_prefix(begin);
  const std::size_t tail = std::min(url.find_first_of("?#"), url.size());
  std::string_view place = url.substr(0, tail);
  // A password may hold a "/" or an "@" that should have been encoded.
  if (const std::size_t at = place.rfind('@'); at != std::string_view::npos) {
    redacted += kRedacted;
    place.remove_prefix(at);
  }
  redacted += place;
  if (tail < url.size()) {
    redacted += url[tail];
    redacted += kRedacted;
  }
  return redacted;
}

std::string WithRedactedUrls(std::string_view text) {
  std::string redacted;
  for (;;) {
    const std::size_t scheme = text.find(kBehindScheme);
    if (scheme == std::string_view::npos) break;
    const auto behind = text.begin() + static_cast<std::ptrdiff_t>(scheme + kBehindScheme.size());
    const auto end = std::find_if(behind, text.end(), EndsUrl);
    const auto size = static_cast<std::size_t>(end - text.begin());
    redacted += RedactedUrl(text.substr(0, size));
    text.remove_prefix(size);
  }
  redacted += text;
  return redacted;
}

Pod RedactedPod(Pod pod) {
  for (Container& container : pod.init_containers) RedactContainer(container);
  for (Container& container : pod.containers) RedactContainer(container);
  for (auto& [name, value] : pod.annotations) {
    value = name == kLastApplied ? std::string(kRedacted) : WithRedactedUrls(value);
  }
  return pod;
}

}  // namespace jettison
